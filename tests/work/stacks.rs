// stacks MS: for MS milliseconds burn() runs below a recursion, in a thread, and while a panic is in flight. Prints the stacks of
// that, as stacks.c does.
use std::hint::black_box;
use std::panic;
use std::time::{Duration, Instant};

#[inline(never)]
#[no_mangle]
extern "C" fn burn() {
    for i in 0..300000u64 {
        black_box(i);
    }
}

#[inline(never)]
#[no_mangle]
fn recurses(depth: u32) {
    if depth > 0 {
        recurses(depth - 1);
    } else {
        burn();
    }
    black_box(depth);
}

struct Held;

impl Drop for Held {
    fn drop(&mut self) {
        burn();
        black_box(());
    }
}

#[inline(never)]
#[no_mangle]
fn panics() {
    let _held = Held;
    panic::panic_any(black_box(1));
}

#[inline(never)]
#[no_mangle]
fn catches() {
    let _ = black_box(panic::catch_unwind(panics));
}

#[inline(never)]
#[no_mangle]
fn threads(until: Instant) {
    while Instant::now() < until {
        burn();
    }
    black_box(());
}

fn main() {
    let ms: u64 = std::env::args().nth(1).map_or(100, |s| s.parse().unwrap());
    let part = Duration::from_millis(ms / 3);
    println!("burn recurses recurses recurses recurses stacks::main main");
    println!("burn panics catches stacks::main main");
    println!("burn threads");
    panic::set_hook(Box::new(|_| {}));
    let end = Instant::now() + part;
    while Instant::now() < end {
        recurses(3);
    }
    let end = Instant::now() + part;
    while Instant::now() < end {
        catches();
    }
    let until = Instant::now() + part;
    std::thread::spawn(move || threads(until)).join().unwrap();
}
