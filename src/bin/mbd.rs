//! The program beside the models: `mbd new crank` begins one.

fn main() -> std::process::ExitCode {
    mbd::cli::tool::run()
}
