//! Signals that ask a run to stop: an interrupt (Ctrl-C), a termination, a hangup.

use super::exit::Exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Signals as near to each other as this are one: shells and terminals send some twice, to the process
/// and to its group.
const ONE: Duration = Duration::from_millis(500);

/// Sets the flag at the first signal, and ends the process at a second one.
pub(super) fn listen(interrupt: Arc<AtomicBool>) {
    let mut first: Option<Instant> = None;
    listen_with(move || match first {
        None => {
            first = Some(Instant::now());
            interrupt.store(true, Ordering::SeqCst);
            eprintln!("\nstopping after this step (once more: at once; rows written so far stay)");
        }
        Some(first) if first.elapsed() < ONE => {}
        Some(_) => std::process::exit(Exit::Interrupted.code().into()),
    });
}

/// Signals that whoever started the process wants it to ignore, as bits: `nohup` and shells that start
/// a command in the background say so. Known on Linux only.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(unix)]
fn listen_with(mut stop: impl FnMut() + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    let ignored = ignored();
    let heeded =
        [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // A file that grows beyond a limit is an error of writing, to be told, and no reason to die.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    // Without a handler a signal ends the program at once, which is no reason not to run.
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(heeded) {
        std::thread::spawn(move || signals.forever().for_each(|_| stop()));
    }
}

#[cfg(not(unix))]
fn listen_with(stop: impl FnMut() + Send + 'static) {
    let _ = ctrlc::set_handler(stop);
}
