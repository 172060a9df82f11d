//! The dot product of bytes, compiled once for each instruction set from the same loop.

use std::sync::OnceLock;

/// A dot product of two slices of the same length.
pub(crate) type Dot = fn(&[i8], &[i8]) -> i32;

/// The fastest implementation for this processor.
pub(crate) fn best() -> Dot {
    static BEST: OnceLock<Dot> = OnceLock::new();
    *BEST.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn detect() -> Dot {
    if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl") {
        // SAFETY: the processor has the instructions that the function is compiled for, as just detected.
        |a, b| unsafe { with_avx512(a, b) }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: as above.
        |a, b| unsafe { with_avx2(a, b) }
    } else {
        baseline
    }
}

/// On other processors the compiler's baseline is used (NEON on 64-bit ARM).
#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Dot {
    baseline
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512vl")]
fn with_avx512(a: &[i8], b: &[i8]) -> i32 {
    sum(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(a: &[i8], b: &[i8]) -> i32 {
    sum(a, b)
}

fn baseline(a: &[i8], b: &[i8]) -> i32 {
    sum(a, b)
}

/// Products of bytes fit 16 bits, and half a million of them 32: no vector is that long.
#[inline(always)]
fn sum(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_set_of_instructions_gives_the_same_sum(
            pairs in proptest::collection::vec((-127_i8..=127, -127_i8..=127), 0..700),
        ) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.into_iter().unzip();
            let slow: i32 = a.iter().zip(&b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            prop_assert_eq!(best()(&a, &b), slow);
            prop_assert_eq!(baseline(&a, &b), slow);
        }
    }
}
