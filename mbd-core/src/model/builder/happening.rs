//! Events while they are collected, before it is known which of their instances stand by themselves.

use crate::statement::{Action, Element, Law, Parts, Settable, Stated};

/// An event while what happens at it is collected.
pub(super) struct Happening {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) condition: Parts,
    pub(super) actions: Vec<Act>,
    pub(super) every: Option<Parts>,
}

/// What happens at it.
pub(super) enum Act {
    Set { what: Settable, value: Parts, targets: Vec<usize> },
    Impulse { along: Parts, law: Law, values: Parts, row: Option<usize> },
    Stop { text: String },
}

impl Act {
    fn parts(&self) -> impl Iterator<Item = &Parts> {
        let all = match self {
            Act::Set { value, .. } => [Some(value), None],
            Act::Impulse { along, values, .. } => [Some(along), Some(values)],
            Act::Stop { .. } => [None, None],
        };
        all.into_iter().flatten()
    }

    /// The same for each instance apart, or for all: with the number of the first.
    fn actions(self, apart: bool, count: usize) -> Vec<Action> {
        let elements = |parts: Parts| -> std::vec::IntoIter<Element> {
            let parts = if apart { parts.split() } else { parts };
            parts.named("").map(|(.., element)| element).collect::<Vec<_>>().into_iter()
        };
        match self {
            Act::Set { what, value, targets } => {
                let values = elements(value).enumerate();
                let set = |(i, value): (usize, Element)| {
                    let targets = if apart { vec![targets[i]] } else { targets.clone() };
                    Action::Set { what, value, targets }
                };
                values.map(set).collect()
            }
            Act::Impulse { along, law, values, row } => {
                let pairs = elements(along).zip(elements(values)).enumerate();
                let impulse = |(i, (along, values))| {
                    let row = row.map(|row| row + i);
                    Action::Impulse { along: Box::new(along), law, values, row }
                };
                pairs.map(impulse).collect()
            }
            Act::Stop { text } => (0..count).map(|_| Action::Stop { text: text.clone() }).collect(),
        }
    }
}

impl Happening {
    /// As a statement, or one for each instance where any part of it reads what is told.
    pub(super) fn stated(self) -> Vec<Stated> {
        let Happening { name, text, condition, actions, every } = self;
        let of_actions = actions.iter().flat_map(Act::parts).any(|parts| parts.apart);
        let apart = of_actions || condition.apart || every.iter().any(|every| every.apart);
        let condition = if apart { condition.split() } else { condition };
        let named: Vec<(String, usize, Element)> = condition.named(&name).collect();
        let count = named.len();
        let mut stated: Vec<Stated> =
            named.into_iter().map(|(name, _, one)| Stated::new(&name, &text, one)).collect();
        for action in actions {
            for (event, action) in stated.iter_mut().zip(action.actions(apart, count)) {
                event.actions.push(action);
            }
        }
        if let Some(every) = every {
            let every = if apart { every.split() } else { every };
            for (event, (.., every)) in stated.iter_mut().zip(every.named("")) {
                event.every = Some(every);
            }
        }
        stated
    }
}
