//! Which of the surfaces and contacts that the motion is at hold it, and which it leaves: decided together, by the
//! accelerations, shares and forces that each assumption leads to. Of planes the first assumption is what
//! [`slips`](super::slips) says of all of them.

use super::Integrator;
use super::carried::{Kept, Mode, Touched};
use super::sliding::{AT_BOUND, AT_REST, ROUNDING, rounding};
use crate::assembly::{Point, Residual, System, Want, Weights};
use crate::start::reconcile;

/// How near to their bounds planes that hold a body together let go of it.
const SHARED: f64 = 1e-10;

/// Of so many surfaces and contacts all combinations may be tried.
const MOST_WORDS: usize = 10;

/// And where they have to be, so many at most.
const MOST_COMBINATIONS: usize = 256;

/// What an assumption leads to.
enum Found {
    /// What it assumes.
    Agrees,
    /// Something else, by this much the most: the number of what is touched, and the mode that it should have.
    Worst(usize, Mode),
    /// A contact that others should hold closes.
    Sinks,
}

impl Integrator<'_> {
    /// The modes of surfaces and contacts that agree with the accelerations they lead to, from those assumed; with a system
    /// and a point that have them. `None` where none were found.
    pub(super) fn decide(
        &mut self,
        touched: Vec<Touched>,
    ) -> Option<(System, Point, Vec<Touched>)> {
        let found = self.decide_in_turn(touched.clone(), true);
        found.or_else(|| self.decide_in_turn(touched, false))
    }

    /// The same; of what cannot stay the last goes on, but before it `idle` ones, which no force holds.
    fn decide_in_turn(
        &mut self,
        mut touched: Vec<Touched>,
        idle: bool,
    ) -> Option<(System, Point, Vec<Touched>)> {
        let mut system = self.system.clone().into_owned();
        let tries = 8 + 4 * touched.len() + (1 << touched.len().min(MOST_WORDS));
        let mut seen: Vec<Vec<(Mode, bool)>> = Vec::new();
        // Changes of the worst are as a rule two or three; should they go in circles, those of the first that
        // is wrong do not, where what is touched is independent (Murty, 1974).
        let mut first = false;
        let mut planes = self.planes_at_rest(&touched);
        let comes = planes.iter().any(|&(_, arrives)| arrives);
        if comes {
            // What comes to rest along with these has to be known at first: one alone may not hold the body.
            let to = self.to.clone();
            let more = self.planes_at_rest_too(&touched, &to, true);
            planes.extend(more.iter().map(|&surface| (surface, true)));
            touched.extend(more.into_iter().map(|of| Touched::new(Kept::Surface(of), 1.0)));
        }
        self.let_slip_at_once(&mut touched, &planes);
        for _ in 0..tries {
            let word: Vec<(Mode, bool)> = touched.iter().map(|t| (t.mode, t.open)).collect();
            if seen.contains(&word) {
                if std::mem::replace(&mut first, true) {
                    return self.any_that_agrees(touched, &planes);
                }
                seen.clear();
            }
            seen.push(word);
            let Some(at) = self.assumed(&mut system, &touched, &planes) else {
                // What cannot stay, as where no force acts on a surface, goes on.
                let stays = |t: &Touched| t.mode == Mode::Stays;
                let surface = |t: &Touched| stays(t) && matches!(t.kept, Kept::Surface(_));
                // First what holds nothing whichever contacts close, then what does not with those that are assumed to.
                let mut idle_one = |may_close| {
                    let is_idle =
                        |t: &Touched| surface(t) && self.has_no_force(t.kept, &touched, may_close);
                    touched.iter().position(is_idle)
                };
                let last = if idle { idle_one(true).or_else(|| idle_one(false)) } else { None };
                let last = last.or_else(|| touched.iter().rposition(surface));
                let last = last.or_else(|| touched.iter().rposition(stays))?;
                let last = &mut touched[last];
                (last.mode, last.open) = (Mode::Leaves(last.otherwise), true);
                let last = *last;
                self.lead_away(&system, last, &mut touched, &planes);
                continue;
            };
            // What has come to rest with others has no direction either.
            let more = self.planes_at_rest_too(&touched, &at, comes);
            if !more.is_empty() {
                planes.extend(more.iter().map(|&surface| (surface, true)));
                touched.extend(more.into_iter().map(|of| Touched::new(Kept::Surface(of), 1.0)));
                seen.clear();
                continue;
            }
            match self.leads_to(&system, &at, &touched, first) {
                Found::Agrees => return Some(self.with_idle(system, at, touched, &planes)),
                Found::Sinks => return None,
                Found::Worst(k, _) if self.let_go_together(&mut touched, k, &at) => {}
                Found::Worst(k, mode) => {
                    // Back at the bound where it left.
                    let left = touched[k].left.map(Mode::Leaves);
                    touched[k].open = touched[k].mode == Mode::Stays && left == Some(mode);
                    touched[k].mode = mode;
                }
            }
        }
        None
    }

    /// The first of all combinations of modes that agrees with what it leads to, where they are not too many. The side to which
    /// a share beyond its bounds leads is not always that to which the motion goes where others hold it, too.
    fn any_that_agrees(
        &mut self,
        mut touched: Vec<Touched>,
        planes: &[(usize, bool)],
    ) -> Option<(System, Point, Vec<Touched>)> {
        use Mode::{Leaves, Stays};
        let choices: Vec<Vec<Mode>> = touched
            .iter()
            .map(|t| match t.kept {
                Kept::Surface(surface) if !self.is_plane(surface) => {
                    vec![Stays, Leaves(t.otherwise), Leaves(-t.otherwise)]
                }
                _ => vec![Stays, Leaves(1.0)],
            })
            .collect();
        let all = choices.iter().map(Vec::len).product::<usize>();
        let mut system = self.system.clone().into_owned();
        for number in 0..all.min(MOST_COMBINATIONS) {
            let mut left = number;
            for (t, modes) in touched.iter_mut().zip(&choices) {
                (t.mode, t.open) = (modes[left % modes.len()], false);
                left /= modes.len();
            }
            if let Some(at) = self.assumed(&mut system, &touched, planes)
                && let Found::Agrees = self.leads_to(&system, &at, &touched, false)
            {
                return Some(self.with_idle(system, at, touched, planes));
            }
        }
        None
    }

    /// The modes where all surfaces are slid along on the sides that they have, with these contacts as assumed or closed.
    pub(super) fn goes_on_sliding(
        &mut self,
        contacts: Vec<Touched>,
    ) -> Option<(System, Point, Vec<Touched>)> {
        let mut closed = contacts.clone();
        closed.iter_mut().for_each(|t| t.mode = Mode::Stays);
        for contacts in [contacts, closed] {
            let mut system = self.system.clone().into_owned();
            if let Some(at) = self.assumed_from(self.to.clone(), &mut system, &contacts)
                && let Found::Agrees = self.leads_to(&system, &at, &contacts, false)
            {
                return Some((system, at, contacts));
            }
        }
        None
    }

    /// Whether the share of a surface makes no force, as of friction in a contact that is open, whichever of the contacts
    /// touched close (`may_close`) or with those that stay: then it holds nothing there.
    fn has_no_force(&mut self, kept: Kept, touched: &[Touched], may_close: bool) -> bool {
        let Kept::Surface(surface) = kept else { return false };
        let mut at = self.to.clone();
        self.set_sides(&mut at, surface, Mode::Stays);
        for contact in 0..self.sliding.closed.len() {
            // What one bears that closes is not known yet, and which of those that touch close, neither.
            let touches = touched.iter().find(|t| t.kept == Kept::Contact(contact));
            let closed = match touches {
                Some(t) => may_close || t.mode == Mode::Stays,
                None => self.sliding.closed[contact],
            };
            let row = self.gap_row(contact);
            at.lambda_mut()[row] = if closed { self.scales.lambda()[row] } else { 0.0 };
        }
        let [without, with] = [0.0, 0.25].map(|share| {
            for of in self.all_of(surface) {
                *self.share_mut(&mut at, of) = share;
            }
            let mut out = Residual::new(&self.system.dims());
            let want = Want::F | Want::REACTION | Want::D | Want::W;
            self.system.eval_all(&at, &Weights::of(&at), want, &mut out);
            [out.f, out.reaction, out.d, out.w]
        });
        with == without
    }

    /// What no force holds on a surface leaves to the side to which it moves.
    fn lead_away(
        &mut self,
        system: &System,
        left: Touched,
        touched: &mut [Touched],
        planes: &[(usize, bool)],
    ) {
        let (Kept::Surface(surface), Mode::Leaves(side)) = (left.kept, left.mode) else { return };
        if self.is_plane(surface) {
            return;
        }
        let mut system = system.clone();
        let Some(at) = self.assumed(&mut system, touched, planes) else { return };
        if self.rate_of(left.kept, &at) * side < 0.0 {
            let of = touched.iter_mut().find(|t| t.kept == left.kept);
            of.into_iter().for_each(|t| t.mode = Mode::Leaves(-side));
        }
    }

    /// What the modes assumed lead to at a point that has them; with `first` the first that is wrong counts as the worst.
    fn leads_to(&mut self, system: &System, at: &Point, touched: &[Touched], first: bool) -> Found {
        // What holds what comes first: planes hold as much as their contacts push.
        let mut worst: Option<(u8, f64, usize, Mode)> = None;
        let mut sinks = false;
        let opens = |t: &Touched| matches!(t.kept, Kept::Contact(_)) && t.left.is_some();
        let takes_over = touched.iter().any(opens);
        for (k, t) in touched.iter().enumerate() {
            if first && worst.is_some() {
                break;
            }
            let (by, mode) = match t.mode {
                // Tied to others that stay, or no more than momentarily.
                Mode::Stays
                    if !self.is_in_equations(system, t.kept)
                        && self.beyond(t.kept, at).0 <= ROUNDING =>
                {
                    let rate = self.rate_of(t.kept, at);
                    let moves = rate.abs() > AT_REST * self.size_of_rate(t.kept);
                    let side = match t.kept {
                        Kept::Surface(_) => rate.signum(),
                        // What others should hold, and may not yet.
                        Kept::Contact(_) if rate < 0.0 => {
                            sinks |= moves;
                            continue;
                        }
                        Kept::Contact(_) => 1.0,
                    };
                    (if moves { 1.0 } else { 0.0 }, Mode::Leaves(side))
                }
                Mode::Stays => {
                    let (beyond, side) = self.beyond(t.kept, at);
                    let allowed = match t.left == Some(side) {
                        // What others help to hold is exact.
                        true if self.is_helped(t.kept) => -SHARED,
                        true => -AT_BOUND,
                        // What others take over from a contact begins with none of it.
                        false if takes_over && matches!(t.kept, Kept::Contact(_)) => AT_BOUND,
                        false => rounding(t.kept),
                    };
                    // Written so that NaN counts.
                    let by = if beyond <= allowed { 0.0 } else { beyond.max(ROUNDING) };
                    (by, Mode::Leaves(side))
                }
                Mode::Leaves(_) if t.open => continue,
                Mode::Floats => continue,
                Mode::Leaves(side) => {
                    let rate = self.rate_of(t.kept, at) * side;
                    let by = match t.kept {
                        // What does not get going, others hold.
                        Kept::Surface(surface) if self.does_not_slip(surface, rate, at) => ROUNDING,
                        _ if !(rate < 0.0) => 0.0,
                        Kept::Surface(surface) if self.is_tied(system, surface, rate, at) => 0.0,
                        // Less than what the sides differ by is between them.
                        Kept::Surface(_) => ROUNDING,
                        // Held by others that it hangs on, as the fourth foot of a table.
                        Kept::Contact(_) => match -rate / self.size_of_rate(t.kept) {
                            none if none <= ROUNDING => 0.0,
                            by => by,
                        },
                    };
                    (by, Mode::Stays)
                }
            };
            let rank = match (t.kept, t.mode) {
                (Kept::Surface(_), Mode::Leaves(_)) => 2,
                (Kept::Contact(_), _) => 1,
                (Kept::Surface(_), _) => 0,
            };
            if by > 0.0 && worst.is_none_or(|(of, most, ..)| (rank, by) > (of, most)) {
                worst = Some((rank, by, k, mode));
            }
        }
        match worst {
            Some((_, _, k, mode)) => Found::Worst(k, mode),
            None if sinks => Found::Sinks,
            None => Found::Agrees,
        }
    }

    /// Keeps contacts closed that would open and do not, where they can be without a force that pulls: what others hold
    /// closed, as the fourth foot of a table, and what bears nothing. Open, rounding would close them again and again.
    fn with_idle(
        &mut self,
        system: System,
        at: Point,
        touched: Vec<Touched>,
        planes: &[(usize, bool)],
    ) -> (System, Point, Vec<Touched>) {
        let mut idle = touched.clone();
        let mut any = false;
        for t in &mut idle {
            if let (Kept::Contact(_), Mode::Leaves(_)) = (t.kept, t.mode)
                && self.rate_of(t.kept, &at).abs() <= ROUNDING * self.size_of_rate(t.kept)
            {
                (t.mode, t.idle, t.open, any) = (Mode::Stays, true, false, true);
            }
        }
        if any {
            let mut with = system.clone();
            if let Some(there) = self.assumed(&mut with, &idle, planes)
                && let Found::Agrees = self.leads_to(&with, &there, &idle, false)
            {
                return (with, there, idle);
            }
        }
        (system, at, touched)
    }

    /// The point reached with modes assumed, consistent; `None` where there is no such point.
    /// What has been held in these `planes`, or has come to rest in them (`true`), begins by its first velocity.
    pub(super) fn assumed(
        &mut self,
        system: &mut System,
        touched: &[Touched],
        planes: &[(usize, bool)],
    ) -> Option<Point> {
        let mut at = self.to.clone();
        if let Some(dv) = self.first_velocity(touched, planes) {
            at.v_mut().iter_mut().zip(dv).for_each(|(v, dv)| *v += dv);
        }
        self.assumed_from(at, system, touched)
    }

    /// The same from a point, by whose velocities what is left goes on.
    pub(super) fn assumed_from(
        &mut self,
        mut at: Point,
        system: &mut System,
        touched: &[Touched],
    ) -> Option<Point> {
        self.stats.assumptions += 1;
        let mut slides = self.system.slides().to_vec();
        let mut holds = self.system.holds().to_vec();
        for t in touched {
            let stays = t.mode == Mode::Stays;
            let known = self.is_in_equations(&self.system, t.kept);
            match t.kept {
                Kept::Surface(surface) => {
                    self.set_sides(&mut at, surface, t.mode);
                    for of in self.all_of(surface) {
                        slides[of] = stays;
                        let share = self.share_mut(&mut at, of);
                        *share = if stays && known { *share } else { 0.0 };
                    }
                }
                Kept::Contact(contact) => {
                    holds[contact] = stays;
                    let share = &mut at.lambda_mut()[self.gap_row(contact)];
                    *share = if stays && known { *share } else { 0.0 };
                }
            }
        }
        system.set_slides(&slides);
        if holds != system.holds() {
            system.set_holds(&holds);
        }
        self.put_states_on(&slides, &mut at);
        self.leave_out_dependent(system, touched, &mut at);
        let solved = matches!(reconcile(system, &mut at), Ok(true));
        (solved && at.flat().iter().all(|y| y.is_finite())).then_some(at)
    }
}
