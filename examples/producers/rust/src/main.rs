// SPDX-License-Identifier: Apache-2.0
//! A small shop under load by itself, profiled from the inside by pprof-rs, for capture.sh.
//!
//!     shop SECONDS ROUNDS OUT
//!
//! ROUNDS is how often `round_price` goes over a price: what a canary plants. SECONDS are of CPU time, so that a busy
//! machine gives as many samples as a quiet one.

use pprof::protos::Message;
use std::collections::BTreeMap;
use std::hint::black_box;

struct Item {
    name: String,
    price: f64,
}

/// CPU seconds of this process so far.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc/self/stat");
    let after_name = stat.rsplit(')').next().unwrap_or("");
    let ticks: f64 = after_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok()).sum();
    ticks / 100.0
}

#[inline(never)]
fn round_price(price: f64, rounds: u32) -> f64 {
    let mut rounded = price;
    for _ in 0..rounds {
        rounded = (rounded * 1.0001 + 0.004) / (1.0 + rounded * 1e-9);
    }
    rounded
}

#[inline(never)]
fn total_of(items: &[Item], rounds: u32) -> f64 {
    items.iter().map(|item| round_price(item.price, rounds)).sum()
}

#[inline(never)]
fn search_items<'a>(items: &'a [Item], word: &str) -> Vec<&'a Item> {
    items.iter().filter(|item| item.name.contains(word)).collect()
}

#[inline(never)]
fn sort_items(found: &mut [&Item]) {
    found.sort_by(|a, b| a.name.cmp(&b.name));
}

#[inline(never)]
fn encode_reply(found: &[&Item], total: f64) -> String {
    let mut reply = format!("{{\"total\":{total},\"items\":[");
    for item in found {
        reply.push_str(&format!("{{\"name\":\"{}\",\"price\":{:.2}}},", item.name, item.price));
    }
    reply.push_str("]}");
    reply
}

#[inline(never)]
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[inline(never)]
fn count_words(reply: &str) -> usize {
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    reply.split(|c: char| !c.is_alphanumeric()).for_each(|word| *words.entry(word).or_default() += 1);
    words.len()
}

#[inline(never)]
fn handle_request(items: &[Item], number: usize, rounds: u32) -> u64 {
    let mut found = search_items(items, if number % 3 == 0 { "item 1" } else { "item" });
    sort_items(&mut found);
    let reply = encode_reply(&found, total_of(items, rounds));
    checksum(&reply) + count_words(&reply) as u64
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seconds, rounds, out] = arguments.as_slice() else {
        eprintln!("usage: shop SECONDS ROUNDS OUT");
        std::process::exit(2);
    };
    let seconds: f64 = seconds.parse().expect("SECONDS is a number");
    let rounds: u32 = rounds.parse().expect("ROUNDS is a number");
    let items: Vec<Item> = (0..400)
        .map(|i| Item { name: format!("item {} of the shop", (i * 7919) % 400), price: 100.0 + (i % 97) as f64 })
        .collect();

    // The blocklist keeps the profiler from unwinding inside code that it cannot walk safely.
    let guard = pprof::ProfilerGuardBuilder::default()
        .frequency(200)
        .blocklist(&["libc", "libgcc", "pthread", "vdso"])
        .build()
        .expect("a profiler");
    let until = cpu_seconds() + seconds;
    let mut number = 0;
    while cpu_seconds() < until {
        for _ in 0..100 {
            black_box(handle_request(black_box(&items), number, black_box(rounds)));
            number += 1;
        }
    }
    let profile = guard.report().build().expect("a report").pprof().expect("a profile");
    std::fs::write(out, profile.encode_to_vec()).expect("OUT is writable");
    eprintln!("{number} requests");
}
