//! The fuzz targets on stable Rust: every input of the kept corpus, and inputs that are made of them by chance from a seed.
//! `npm run fuzz` plays the same targets under libFuzzer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "../support/mod.rs"]
mod support;
#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use std::path::{Path, PathBuf};
use support::streams::Random;

/// Longer inputs are cut, so that the time for a number of inputs is about the same for every target.
const LONGEST: usize = 4096;
const JUNK: &[u8] = b"{}[]\",:0\\n\r\n\x00\xff\xf0\xe0-";

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(path)
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder("corpus").join(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 2, "{target} has a corpus");
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// The words of the dictionary, which has one in quotes a line.
fn words() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(folder("ag-ui.dict")).unwrap();
    let words = text.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    words.map(|word| word.replace("\\\"", "\"").replace("\\\\", "\\").into_bytes()).collect()
}

/// An input that fails is kept where libFuzzer keeps its own.
struct Witness<'i>(&'static str, &'i [u8]);

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let kept = folder("artifacts").join(self.0);
            let file = kept.join("stable");
            let written = std::fs::create_dir_all(&kept).and_then(|()| std::fs::write(&file, self.1));
            eprintln!("the input is in {} ({written:?})", file.display());
        }
    }
}

fn play(target: &'static str, input: &[u8]) {
    let _witness = Witness(target, input);
    targets::play(target, input);
}

fn mutated(random: &mut Random, corpus: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let mut input = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(5) {
        if input.is_empty() {
            break;
        }
        let (at, other) = (random.below(input.len()), random.below(input.len()));
        match random.below(8) {
            0 => input[at] = JUNK[random.below(JUNK.len())],
            1 => input[at] ^= 1 << random.below(8),
            2 => drop(input.drain(at..(at + random.below(40)).min(input.len()))),
            3 => drop(input.splice(at..at, words[random.below(words.len())].iter().copied())),
            4 => {
                let piece = input[at.min(other)..at.max(other)].to_vec();
                drop(input.splice(at..at, piece));
            }
            5 => {
                let donor = &corpus[random.below(corpus.len())];
                let from = random.below(donor.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&donor[from..]);
            }
            // Another seed: other cuts, another user.
            _ => {
                let end = input.len().min(8);
                input[..end].fill_with(|| random.below(256) as u8);
            }
        }
    }
    input.truncate(LONGEST);
    input
}

/// Plays a target with its corpus and `FUZZ_INPUTS` inputs, as many as are given where that is not set.
fn fuzz(target: &'static str, inputs: usize) {
    let inputs = std::env::var("FUZZ_INPUTS").map_or(inputs, |text| text.parse().unwrap());
    let (corpus, words) = (corpus(target), words());
    corpus.iter().for_each(|input| play(target, input));
    let mut random = Random::new(std::env::var("FUZZ_SEED").map_or(1, |text| text.parse().unwrap()));
    for _ in 0..inputs {
        play(target, &mutated(&mut random, &corpus, &words));
    }
}

/// A test for each target, with the number of inputs that takes about a second.
macro_rules! fuzz {
    ($($target:ident $inputs:literal,)*) => {
        $(#[test] fn $target() { fuzz(stringify!($target), $inputs); })*

        #[test]
        fn every_target_is_played() {
            let played = [$(stringify!($target)),*];
            assert!(targets::TARGETS.iter().map(|(name, _)| *name).eq(played));
            for name in played {
                assert!(folder(&format!("fuzz_targets/{name}.rs")).exists(), "{name} is a program for libFuzzer");
            }
        }
    };
}

fuzz! {
    sse 10000,
    json 10000,
    binary 10000,
    stream 1500,
    legacy 1500,
    agent_os 1500,
    chio 1500,
    hector 1500,
    ngaf 1500,
    open_search 1500,
    patches 3000,
    saves 5000,
    canonical 10000,
    compact 1500,
    session 3000,
}
