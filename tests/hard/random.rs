//! Numbers drawn at random, the cases to try, and the report of what failed.

use std::fmt::Write;

/// splitmix64.
pub struct Random(u64);

impl Random {
    /// Of one case of a seed.
    pub fn new(seed: u64, case: usize) -> Self {
        Random(seed ^ (case as u64 + 1).wrapping_mul(0xd134_2543_de82_ef95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn vector<const N: usize>(&mut self, size: f64) -> [f64; N] {
        std::array::from_fn(|_| self.between(-size, size))
    }

    pub fn shuffled(&mut self, n: usize) -> Vec<usize> {
        let mut list: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|i| list.swap(i, self.below(i + 1)));
        list
    }
}

/// Whether twenty times as much is asked for.
pub fn hard() -> bool {
    std::env::var("MBD_HARD").is_ok_and(|hard| hard == "1")
}

/// What a case did: counted under a name.
pub type Counts = std::collections::BTreeMap<String, usize>;

/// Tries the cases of a test and fails with what they say is wrong, each with the command that repeats it.
#[track_caller]
pub fn each(
    test: &str,
    count: usize,
    mut case: impl FnMut(&mut Random, usize, &mut Counts) -> Vec<String>,
) {
    let text = std::env::var("MBD_SEED").unwrap_or_else(|_| "1".into());
    let (seed, only) = match text.split_once(':') {
        Some((seed, only)) => (seed, Some(only)),
        None => (&*text, None),
    };
    let number = |text: &str| -> u64 { text.trim().parse().expect("MBD_SEED is `s` or `s:k`") };
    let seed = number(seed);
    let count = if hard() { 20 * count } else { count };
    let cases = match only {
        Some(k) => number(k) as usize..number(k) as usize + 1,
        None => 0..count,
    };
    let clock = std::time::Instant::now();
    let (mut wrong, mut counts) = (String::new(), Counts::new());
    for k in cases {
        let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            case(&mut Random::new(seed, k), k, &mut counts)
        }));
        for what in tried.unwrap_or_else(|_| vec!["it panicked".into()]) {
            let repeat = format!("MBD_SEED={seed}:{k} cargo test --test hard {test}");
            let _ = writeln!(wrong, "{what}\n    {repeat}");
        }
    }
    println!(
        "{test}: seed {seed}, {count} cases in {:.1} s, {counts:?}",
        clock.elapsed().as_secs_f64()
    );
    assert!(wrong.is_empty(), "seed {seed}:\n{wrong}");
}
