//! What a paper says, held against what came out here.

use std::fmt::{self, Display};

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that it was held against holds.
    Reproduced,
    /// Some of it.
    InPart,
    /// Nothing of it.
    Not,
}

impl Verdict {
    /// All, from good to bad.
    pub const ALL: [Verdict; 3] = [Verdict::Reproduced, Verdict::InPart, Verdict::Not];
}

impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Reproduced => "reproduced",
            Verdict::InPart => "in part",
            Verdict::Not => "not reproduced",
        })
    }
}

/// A claim: where it stands, what the paper says, what was computed here, and the checks that decide. Nothing says
/// beforehand how they end: the verdict is theirs.
pub struct Claim {
    /// Figure, table or section.
    pub place: String,
    /// What the paper says.
    pub paper: String,
    /// What came out.
    pub ours: String,
    checks: Vec<Check>,
}

struct Check {
    what: String,
    holds: bool,
    otherwise: String,
}

impl Claim {
    /// What a paper says in a figure, table or section, and what came out here.
    pub fn new(place: &str, paper: impl Display, ours: impl Display) -> Self {
        Claim {
            place: place.into(),
            paper: paper.to_string(),
            ours: ours.to_string(),
            checks: Vec::new(),
        }
    }

    /// Something that has to hold, as the end of a sentence that begins "It holds that".
    pub fn check(self, what: impl Display, holds: bool) -> Self {
        self.or(what, holds, "")
    }

    /// The same, with what explains it where it does not hold, as whole sentences.
    pub fn or(mut self, what: impl Display, holds: bool, otherwise: impl Display) -> Self {
        let (what, otherwise) = (what.to_string(), otherwise.to_string());
        self.checks.push(Check { what, holds, otherwise });
        self
    }

    /// What the checks decide.
    pub fn verdict(&self) -> Verdict {
        let held = self.checks.iter().filter(|check| check.holds).count();
        match held {
            0 => Verdict::Not,
            _ if held == self.checks.len() => Verdict::Reproduced,
            _ => Verdict::InPart,
        }
    }

    /// Why: which checks hold, which do not, and what explains those.
    pub fn reason(&self) -> String {
        let list = |holds: bool| -> Vec<&str> {
            self.checks.iter().filter(|c| c.holds == holds).map(|c| &*c.what).collect()
        };
        let mut parts = Vec::new();
        for (word, list) in [("It holds that", list(true)), ("It does not hold that", list(false))]
        {
            if !list.is_empty() {
                parts.push(format!("{word} {}.", list.join("; that ")));
            }
        }
        let failed = self.checks.iter().filter(|c| !c.holds && !c.otherwise.is_empty());
        for why in failed.map(|c| &c.otherwise) {
            // What explains several is said once.
            if !parts.contains(why) {
                parts.push(why.clone());
            }
        }
        parts.join(" ")
    }

    /// The cells of a table of claims.
    pub fn row(&self) -> Vec<String> {
        let place = format!("{}: {}", self.place, self.paper);
        vec![place, self.ours.clone(), format!("**{}**", self.verdict()), self.reason()]
    }
}

/// The head of that table.
pub const HEAD: [&str; 4] = ["paper", "ours", "verdict", "reason"];
