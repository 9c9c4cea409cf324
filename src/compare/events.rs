//! Events of runs beside those of a reference.

use crate::solution::{Event, EventKind};

/// The events of a run beside those of the reference: the first of a name, condition and kind beside the first of
/// these, and so on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// How many the run has.
    pub count: usize,
    /// How many the reference has.
    pub expected: usize,
    /// Largest difference of the times of two that belong together, in s, of those that happened equally often.
    pub off: f64,
    /// The event it is the difference of, and its number among those of that name and condition.
    pub worst: Option<(String, usize)>,
    /// The first that happened more or less often than in the reference, for people.
    pub differs: Option<String>,
}

impl Events {
    pub(super) fn of(run: &[Event], reference: &[Event]) -> Option<Events> {
        if run.is_empty() && reference.is_empty() {
            return None;
        }
        let mut events =
            Events { count: run.len(), expected: reference.len(), ..Events::default() };
        let mut kinds: Vec<(&str, &str, EventKind)> = Vec::new();
        for event in reference.iter().chain(run) {
            let kind = (event.name.as_str(), event.condition.as_str(), event.kind);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        for kind @ (name, condition, _) in kinds {
            let times = |list: &[Event]| -> Vec<f64> {
                let of = list
                    .iter()
                    .filter(|event| (&*event.name, &*event.condition, event.kind) == kind);
                of.map(|event| event.t).collect()
            };
            let (is, should) = (times(run), times(reference));
            if is.len() != should.len() {
                let text = || format!("{condition} in `{name}`: {} for {}", is.len(), should.len());
                events.differs.get_or_insert_with(text);
                continue;
            }
            for (k, (a, b)) in is.iter().zip(&should).enumerate() {
                if (a - b).abs() >= events.off {
                    events.off = (a - b).abs();
                    events.worst = Some((name.to_string(), k));
                }
            }
        }
        Some(events)
    }

    pub(super) fn cell(&self) -> String {
        match &self.differs {
            Some(differs) => differs.replace('|', "/"),
            None => format!("{}, {:.1e} s", self.count, self.off),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(t: f64, name: &str, condition: &str) -> Event {
        Event { t, name: name.into(), condition: condition.into(), ..Event::default() }
    }

    /// Those of a name and condition belong together, whatever comes in between.
    #[test]
    fn events_are_compared_by_name() {
        let reference =
            [event(1.0, "a", "y < 0"), event(1.0, "b", "x > 0"), event(2.0, "a", "y > 0")];
        let run = [event(1.1, "b", "x > 0"), event(1.25, "a", "y < 0"), event(2.0, "a", "y > 0")];
        let events = Events::of(&run, &reference).unwrap();
        assert_eq!((events.count, events.expected, events.off), (3, 3, 0.25));
        assert_eq!((events.worst.as_ref().unwrap().0.as_str(), &events.differs), ("a", &None));
        assert_eq!(events.cell(), "3, 2.5e-1 s");
        let fewer = Events::of(&run[..2], &reference).unwrap();
        assert_eq!(fewer.differs.as_deref(), Some("y > 0 in `a`: 0 for 1"));
        assert_eq!((fewer.off, fewer.cell().as_str()), (0.25, "y > 0 in `a`: 0 for 1"));
        assert_eq!(Events::of(&[], &[]), None);
    }
}
