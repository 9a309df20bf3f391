// SPDX-License-Identifier: Apache-2.0
//! A program whose names are mangled by both of Rust's ways.
use std::collections::BTreeMap;

mod cart {
    #[inline(always)]
    fn mix(a: u64, b: u64) -> u64 {
        (a ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(9)
    }

    pub trait Price {
        fn price(&self, seed: u64) -> u64;
    }

    pub struct Line(pub u64);

    impl Price for Line {
        #[inline(never)]
        fn price(&self, seed: u64) -> u64 {
            (0..64).fold(seed, |sum, i| mix(sum, self.0 + i))
        }
    }

    #[inline(never)]
    pub fn total<T: Price>(lines: &[T], seed: u64) -> u64 {
        lines.iter().fold(seed, |sum, line| mix(sum, line.price(sum)))
    }
}

#[inline(never)]
fn order(lines: &[cart::Line], seen: &mut BTreeMap<u64, u64>, seed: u64) -> u64 {
    let sum = cart::total(lines, seed);
    *seen.entry(sum % 97).or_insert(0) += 1;
    sum
}

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1);
    let lines: Vec<cart::Line> = (0..256).map(cart::Line).collect();
    let mut seen = BTreeMap::new();
    let sum = (0..rounds).fold(0, |sum, i| order(&lines, &mut seen, sum + i));
    println!("{sum} {}", seen.len());
}
