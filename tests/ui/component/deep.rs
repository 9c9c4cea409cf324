// Parts in parts, deeper than can be followed.
use mbd::mechanism;

mechanism! {
    component C0 { coord x; mass[x, x] = 1.0; }
    component C1 { body b: C0; } component C2 { body b: C1; } component C3 { body b: C2; } component C4 { body b: C3; }
    component C5 { body b: C4; } component C6 { body b: C5; } component C7 { body b: C6; } component C8 { body b: C7; }
    component C9 { body b: C8; } component C10 { body b: C9; } component C11 { body b: C10; } component C12 { body b: C11; }
    component C13 { body b: C12; } component C14 { body b: C13; } component C15 { body b: C14; } component C16 { body b: C15; }
    component C17 { body b: C16; } component C18 { body b: C17; } component C19 { body b: C18; } component C20 { body b: C19; }
    component C21 { body b: C20; } component C22 { body b: C21; } component C23 { body b: C22; } component C24 { body b: C23; }
    component C25 { body b: C24; } component C26 { body b: C25; } component C27 { body b: C26; } component C28 { body b: C27; }
    component C29 { body b: C28; } component C30 { body b: C29; } component C31 { body b: C30; } component C32 { body b: C31; }
    component C33 { body b: C32; } component C34 { body b: C33; } component C35 { body b: C34; } component C36 { body b: C35; }
    component C37 { body b: C36; } component C38 { body b: C37; } component C39 { body b: C38; } component C40 { body b: C39; }
    component C41 { body b: C40; } component C42 { body b: C41; } component C43 { body b: C42; } component C44 { body b: C43; }
    component C45 { body b: C44; } component C46 { body b: C45; } component C47 { body b: C46; } component C48 { body b: C47; }
    component C49 { body b: C48; } component C50 { body b: C49; } component C51 { body b: C50; } component C52 { body b: C51; }
    component C53 { body b: C52; } component C54 { body b: C53; } component C55 { body b: C54; } component C56 { body b: C55; }
    component C57 { body b: C56; } component C58 { body b: C57; } component C59 { body b: C58; } component C60 { body b: C59; }
    component C61 { body b: C60; } component C62 { body b: C61; } component C63 { body b: C62; } component C64 { body b: C63; }
    component C65 { body b: C64; } component C66 { body b: C65; } component C67 { body b: C66; } component C68 { body b: C67; }
    component C69 { body b: C68; } component C70 { body b: C69; } component C71 { body b: C70; } component C72 { body b: C71; }
    component C73 { body b: C72; } component C74 { body b: C73; } component C75 { body b: C74; } component C76 { body b: C75; }
    component C77 { body b: C76; } component C78 { body b: C77; } component C79 { body b: C78; } component C80 { body b: C79; }
    component C81 { body b: C80; } component C82 { body b: C81; } component C83 { body b: C82; } component C84 { body b: C83; }
    component C85 { body b: C84; } component C86 { body b: C85; } component C87 { body b: C86; } component C88 { body b: C87; }
    component C89 { body b: C88; } component C90 { body b: C89; } component C91 { body b: C90; } component C92 { body b: C91; }
    component C93 { body b: C92; } component C94 { body b: C93; } component C95 { body b: C94; } component C96 { body b: C95; }
    component C97 { body b: C96; } component C98 { body b: C97; } component C99 { body b: C98; } component C100 { body b: C99; }
    component C101 { body b: C100; } component C102 { body b: C101; } component C103 { body b: C102; } component C104 { body b: C103; }
    component C105 { body b: C104; } component C106 { body b: C105; } component C107 { body b: C106; } component C108 { body b: C107; }
    component C109 { body b: C108; } component C110 { body b: C109; } component C111 { body b: C110; } component C112 { body b: C111; }
    component C113 { body b: C112; } component C114 { body b: C113; } component C115 { body b: C114; } component C116 { body b: C115; }
    component C117 { body b: C116; } component C118 { body b: C117; } component C119 { body b: C118; } component C120 { body b: C119; }
    component C121 { body b: C120; } component C122 { body b: C121; } component C123 { body b: C122; } component C124 { body b: C123; }
    component C125 { body b: C124; } component C126 { body b: C125; } component C127 { body b: C126; } component C128 { body b: C127; }
    component C129 { body b: C128; }
    pub mechanism Model { body b: C129; }
}

fn main() {}
