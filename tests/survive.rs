//! Runs that are killed, interrupted or short of room, as processes of their own. The program they run
//! is this one, called with `MBD_SURVIVE` set.

#![allow(missing_docs)]

#[path = "cli/rig.rs"]
#[cfg(all(unix, feature = "cli"))]
mod rig;

#[cfg(not(all(unix, feature = "cli")))]
fn main() {}

#[cfg(all(unix, feature = "cli"))]
fn main() -> std::process::ExitCode {
    if std::env::var_os("MBD_SURVIVE").is_some() {
        return mbd::cli::run::<rig::Rig>();
    }
    tests::all();
    std::process::ExitCode::SUCCESS
}

#[cfg(all(unix, feature = "cli"))]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Output, Stdio};
    use std::time::{Duration, Instant};

    const TESTS: [(&str, fn()); 6] = [
        ("killed_at_random_times_runs_go_on_to_the_same_bits", killed_at_random_times),
        ("a_killed_run_leaves_its_rows", a_killed_run_leaves_its_rows),
        ("every_signal_that_asks_to_stop_is_heeded", signals),
        ("doubled_signals_are_one_and_a_second_one_ends_at_once", doubled_signals),
        ("a_hangup_that_is_to_be_ignored_is", hangups_ignored),
        ("a_limit_of_file_size_is_told", limited),
    ];

    pub fn all() {
        let wanted: Vec<String> =
            std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
        for (name, test) in TESTS {
            if wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())) {
                let begun = Instant::now();
                test();
                println!("test {name} ... ok ({:.1} s)", begun.elapsed().as_secs_f64());
            }
        }
    }

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("mbd-survive-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn file(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn command(folder: &Folder, line: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(line.split_whitespace()).current_dir(&folder.0).env("MBD_SURVIVE", "1");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn finished(child: Child) -> Output {
        child.wait_with_output().unwrap()
    }

    fn send(child: &Child, signal: &str) {
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    fn wait_for(what: &str, is: impl Fn() -> bool) {
        let begun = Instant::now();
        while !is() {
            assert!(begun.elapsed() < Duration::from_secs(60), "{what} does not come about");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn has_rows(path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|found| found.len() > 10_000)
    }

    /// What a run printed, but for the time it took.
    fn results(output: &Output) -> String {
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let (before, after) = text.split_once("\"wall_s\"").unwrap();
        format!("{before}{}", after.split_once(['}', ',']).unwrap().1)
    }

    fn killed_at_random_times() {
        const KILLS: usize = 50;
        let ways = [
            "--step 1e-3 --t-end 12",
            "--method hht-i3 --tol 1e-6 --t-end 20 --every 0.003",
            "--method bdf-ggl --order 3 --tol 1e-6 --t-end 12",
            "--method explicit-rk --step 2e-3 --t-end 12",
            "--method radau5 --tol 1e-7 --t-end 60",
        ];
        // Of the time and the process: other ones in every run, told where it matters.
        let mut seed = u64::from(std::process::id())
            ^ std::time::UNIX_EPOCH.elapsed().map_or(1, |t| t.as_nanos() as u64);
        let begun_with = seed;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as f64 / (1u64 << 24) as f64
        };
        let mut killed = 0;
        for way in ways {
            let folder = Folder::new("kill");
            let line = format!("simulate --quiet --json --out run.csv --checkpoint run.mbd {way}");
            let begun = Instant::now();
            let whole = finished(command(&folder, &line).spawn().unwrap());
            let time = begun.elapsed();
            assert_eq!(whole.status.code(), Some(0), "{}", String::from_utf8_lossy(&whole.stderr));
            let rows = fs::read(folder.file("run.csv")).unwrap();
            for _ in 0..KILLS / ways.len() {
                for name in ["run.csv", "run.mbd"] {
                    fs::remove_file(folder.file(name)).unwrap();
                }
                // Again and again until it is through.
                let mut resume = "";
                let end = loop {
                    let mut child = command(&folder, &format!("{line} {resume}")).spawn().unwrap();
                    std::thread::sleep(time.mul_f64(random()));
                    if resume.is_empty() || random() < 0.3 {
                        let _ = child.kill();
                    }
                    let output = finished(child);
                    if output.status.code() == Some(0) {
                        break output;
                    }
                    let told = String::from_utf8_lossy(&output.stderr);
                    assert_eq!(output.status.code(), None, "{way}, seed {begun_with}: {told}");
                    killed += 1;
                    let part = folder.file("run.csv.part");
                    if folder.file("run.mbd").exists() {
                        resume = "--resume run.mbd";
                    } else if part.exists() {
                        // Before there was a checkpoint.
                        fs::remove_file(part).unwrap();
                    }
                };
                assert_eq!(results(&end), results(&whole), "{way}, seed {begun_with}");
                let same = fs::read(folder.file("run.csv")).unwrap() == rows;
                assert!(same, "{way}, seed {begun_with}: other rows");
                let left = fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name());
                let left: Vec<_> = left.filter(|n| n.to_string_lossy().contains("part")).collect();
                assert!(left.is_empty(), "{left:?}");
            }
        }
        assert!(killed >= KILLS / 2, "killed {killed} times only");
    }

    const LONG: &str = "simulate --step 1e-4 --t-end 1e6 --out run.csv";

    fn a_killed_run_leaves_its_rows() {
        let folder = Folder::new("rows");
        fs::write(folder.file("run.csv"), "of old\n").unwrap();
        let mut child = command(&folder, LONG).spawn().unwrap();
        let part = folder.file("run.csv.part");
        wait_for("the part", || has_rows(&part));
        let before = fs::metadata(&part).unwrap().len();
        wait_for("more rows", || fs::metadata(&part).unwrap().len() > before);
        child.kill().unwrap();
        finished(child);
        let text = fs::read_to_string(&part).unwrap();
        let columns = text.lines().next().unwrap().split(',').count();
        assert!(text.ends_with('\n') && text.lines().all(|l| l.split(',').count() == columns));
        assert_eq!(fs::read_to_string(folder.file("run.csv")).unwrap(), "of old\n");
    }

    fn signals() {
        for signal in ["-INT", "-TERM", "-HUP"] {
            let folder = Folder::new("signal");
            let child = command(&folder, LONG).spawn().unwrap();
            wait_for("the part", || has_rows(&folder.file("run.csv.part")));
            send(&child, signal);
            // As a shell does that ends its jobs.
            send(&child, signal);
            let output = finished(child);
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(130), "{signal}: {told}");
            assert!(
                told.contains("interrupted at t =") && told.contains("wrote run.csv"),
                "{told}"
            );
            assert!(has_rows(&folder.file("run.csv")));
        }
    }

    fn doubled_signals() {
        let folder = Folder::new("twice");
        let pipe = folder.file("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
        // Nobody reads: the run waits in the middle of a row, and cannot stop by itself.
        let line = "simulate --step 1e-4 --t-end 1e6 --out pipe";
        let mut child = command(&folder, line).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(600));
        send(&child, "-TERM");
        std::thread::sleep(Duration::from_millis(50));
        send(&child, "-TERM");
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(child.try_wait().unwrap(), None, "a doubled signal ended it");
        std::thread::sleep(Duration::from_millis(400));
        send(&child, "-TERM");
        wait_for("its end", || !Path::new(&format!("/proc/{}/fd/0", child.id())).exists());
        assert_eq!(finished(child).status.code(), Some(130));
        drop(reader);
    }

    fn hangups_ignored() {
        if !Path::new("/proc/self/status").exists() {
            return;
        }
        let folder = Folder::new("nohup");
        let own = std::env::current_exe().unwrap();
        let script = format!("trap '' HUP; exec {} {LONG}", own.display());
        let mut child = Command::new("sh");
        child.args(["-c", &script]).current_dir(&folder.0).env("MBD_SURVIVE", "1");
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for("the part", || has_rows(&folder.file("run.csv.part")));
        send(&child, "-HUP");
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(child.try_wait().unwrap(), None);
        send(&child, "-TERM");
        assert_eq!(finished(child).status.code(), Some(130));
    }

    fn limited() {
        let folder = Folder::new("limit");
        fs::write(folder.file("run.csv"), "of old\n").unwrap();
        let own = std::env::current_exe().unwrap();
        let script = format!("ulimit -f 64; exec {} {LONG}", own.display());
        let mut child = Command::new("sh");
        child.args(["-c", &script]).current_dir(&folder.0).env("MBD_SURVIVE", "1");
        let output = child.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(20), "{told}");
        assert!(told.contains("make room") && told.contains("run.csv.part"), "{told}");
        assert_eq!(fs::read_to_string(folder.file("run.csv")).unwrap(), "of old\n");
        let text = fs::read_to_string(folder.file("run.csv.part")).unwrap();
        assert!(text.ends_with('\n') && text.len() > 20_000, "{}", text.len());
    }
}
