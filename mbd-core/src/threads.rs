//! Several threads at one evaluation: how many there are, and work given to them. They are those of
//! rayon's pool, the one the caller is in or the global one (`RAYON_NUM_THREADS` says how many);
//! without the feature `parallel` there is the calling thread alone.
//!
//! Who divides work sees to it that the result is the same, to the last bit, however it is divided.

/// Threads that work can be given to.
#[cfg(feature = "parallel")]
pub(crate) fn available() -> usize {
    use std::error::Error;
    use std::sync::OnceLock;

    // A pool that cannot be started is no reason to fail: the work is done by the calling thread.
    static STARTED: OnceLock<bool> = OnceLock::new();
    let is_started = || {
        *STARTED.get_or_init(|| match rayon_core::ThreadPoolBuilder::new().build_global() {
            Ok(()) => true,
            // Without a source: somebody has started it before.
            Err(error) => error.source().is_none(),
        })
    };
    if rayon_core::current_thread_index().is_some() || is_started() {
        rayon_core::current_num_threads()
    } else {
        1
    }
}

/// Threads that work can be given to.
#[cfg(not(feature = "parallel"))]
pub(crate) fn available() -> usize {
    1
}

/// Does all the tasks, the first on the calling thread.
///
/// Meanwhile the calling thread may be lent to other work of its pool: it must hold nothing that
/// such work could want.
#[cfg(feature = "parallel")]
pub(crate) fn run<T: Send>(tasks: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let (work, mut tasks) = (&work, tasks.into_iter());
    let first = tasks.next();
    rayon_core::in_place_scope(|scope| {
        tasks.for_each(|task| scope.spawn(move |_| work(task)));
        first.into_iter().for_each(work);
    });
}

/// Does all the tasks.
#[cfg(not(feature = "parallel"))]
pub(crate) fn run<T: Send>(tasks: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    tasks.into_iter().for_each(work);
}
