//! The parts of the core, each by itself, in events a second.

use ag_ui_wasm_bench::{Stream, reader, reducer, rules, session};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

fn parts(criterion: &mut Criterion) {
    let (text, chunks, args) = (Stream::text(10_000), Stream::chunks(10_000), Stream::args(10_000));
    let states = [100, 2_000, 10_000].map(|rows| (rows, Stream::state(rows, 2_000)));

    let mut group = criterion.benchmark_group("core");
    group.sample_size(20);
    let mut part = |name: &str, stream: &Stream, run: &dyn Fn(&Stream) -> usize| {
        group.throughput(Throughput::Elements(stream.events as u64));
        group.bench_function(name, |bencher| bencher.iter(|| run(black_box(stream))));
    };
    part("reader, text", &text, &|stream| reader(stream).0);
    part("reader, other events", &chunks, &|stream| reader(stream).1);
    part("rules, chunks", &chunks, &rules);
    part("reducer, text", &text, &reducer);
    part("reducer, arguments", &args, &reducer);
    part("session, text", &text, &|stream| session(stream, 5));
    part("session, arguments", &args, &|stream| session(stream, 5));
    for (rows, stream) in &states {
        part(&format!("patch, a state of {rows} rows"), stream, &|stream| session(stream, 1));
    }
    group.finish();
}

criterion_group!(benches, parts);
criterion_main!(benches);
