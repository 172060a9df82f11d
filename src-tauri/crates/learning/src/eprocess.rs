//! E-process against "no preference", valid when tested after every episode.
//!
//! A bettor without knowledge of the future stakes a share `λ` of their wealth on the direction `d` of each piece of
//! evidence `A` in -1..=1 whose mean is zero under the null hypothesis (Waudby-Smith & Ramdas 2024, "Estimating means
//! of bounded random variables by betting"). The wealth is
//!
//! ```text
//! E_n(λ) = Π_t (1 + λ · d · A_t)        E[1 + λ·d·A] = 1, and never negative for 0 ≤ λ ≤ 1
//! ```
//!
//! a martingale; so is its mean over a few λ, and Ville's inequality gives P(E ever ≥ 1/α) ≤ α. A sign test repeated
//! every ten episodes gives 42 % of the writers without preference a false rule sooner or later; this does not.
//!
//! **Two processes.** Choices and written text agree with a preference at very different rates (real writers: 60 %
//! and 79 %), and the best share is about `2·rate - 1`. One λ for both is wrong for one of them. Here each kind has its
//! own mixture and the two are multiplied:
//!
//! ```text
//! E = mean_λ Π_choices (1 + λ·d·A)  ·  mean_λ' Π_written (1 + λ'·d·A)
//! ```
//!
//! which is the mean over pairs (λ, λ') of one product, hence a martingale as well. Both mixtures contain λ = 0, wealth
//! that is never staked: a writer who edits for other reasons than they choose loses at most a factor of 4 by it.

/// Values of λ for choices: smaller ones gain too little within a book.
pub const CHOICE_LAMBDAS: [f64; 4] = [0.0, 0.3, 0.6, 0.9];
/// Values of λ for edits and own texts.
pub const WRITTEN_LAMBDAS: [f64; 4] = [0.0, 0.4, 0.7, 0.9];

/// Number of factors multiplied before their logarithm is taken: 0.1^32 is far above the smallest number.
const BATCH: u8 = 32;

/// An e-process that mixes four values of λ, one row at a time, in constant space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EProcess {
    shares: &'static [f64; 4],
    logs: [f64; 4],
    products: [f64; 4],
    pending: u8,
}

impl EProcess {
    /// A process without evidence: E = 1. Shares are 0..1.
    #[must_use]
    pub fn new(shares: &'static [f64; 4]) -> Self {
        Self { shares, logs: [0.0; 4], products: [1.0; 4], pending: 0 }
    }

    /// Adds evidence in -1..=1, positive if it agrees.
    #[inline]
    pub fn observe(&mut self, agreement: f32) {
        let agreement = f64::from(agreement);
        for (product, share) in self.products.iter_mut().zip(self.shares) {
            *product *= 1.0 + share * agreement;
        }
        self.pending += 1;
        if self.pending == BATCH {
            for (log, product) in self.logs.iter_mut().zip(&mut self.products) {
                *log += product.ln();
                *product = 1.0;
            }
            self.pending = 0;
        }
    }

    /// ln E.
    #[must_use]
    pub fn ln(&self) -> f64 {
        let each: [f64; 4] = std::array::from_fn(|at| self.logs[at] + self.products[at].ln());
        ln_sum(&each) - 4.0_f64.ln()
    }
}

/// The two e-processes of one hypothesis: one for choices, one for written text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairedEProcess {
    choices: EProcess,
    written: EProcess,
}

impl Default for PairedEProcess {
    fn default() -> Self {
        Self { choices: EProcess::new(&CHOICE_LAMBDAS), written: EProcess::new(&WRITTEN_LAMBDAS) }
    }
}

impl PairedEProcess {
    /// Adds evidence in -1..=1, positive if it agrees, to the process for its kind.
    #[inline]
    pub fn observe(&mut self, agreement: f32, is_written: bool) {
        if is_written { self.written.observe(agreement) } else { self.choices.observe(agreement) }
    }

    /// Whether the process for written text has the larger e-value.
    #[must_use]
    pub fn is_mostly_written(&self) -> bool {
        self.written.ln() > self.choices.ln()
    }

    /// ln of the product of both.
    #[must_use]
    pub fn ln(&self) -> f64 {
        self.choices.ln() + self.written.ln()
    }
}

/// ln of a sum of numbers given by their logarithms; minus infinity for none.
#[must_use]
pub fn ln_sum(logs: &[f64]) -> f64 {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_mean_of_products_and_does_not_overflow() {
        let mut e = EProcess::new(&WRITTEN_LAMBDAS);
        let rows = [1.0_f32, -0.5, 0.25, 0.0, 1.0, -1.0, 0.75];
        rows.iter().for_each(|a| e.observe(*a));
        let plain: f64 =
            WRITTEN_LAMBDAS.iter().map(|l| rows.iter().map(|a| 1.0 + l * f64::from(*a)).product::<f64>()).sum();
        assert!((e.ln() - (plain / 4.0).ln()).abs() < 1e-12);

        let (mut up, mut down) = (PairedEProcess::default(), PairedEProcess::default());
        for at in 0..100_000 {
            up.observe(1.0, at % 2 == 0);
            down.observe(-1.0, at % 2 == 0);
        }
        assert!((up.ln() - (100_000.0 * 1.9_f64.ln() - 2.0 * 4.0_f64.ln())).abs() < 1e-3);
        assert!((down.ln() + 2.0 * 4.0_f64.ln()).abs() < 1e-9, "what is never staked remains");
    }

    #[test]
    fn sums_of_logarithms() {
        assert_eq!(ln_sum(&[]), f64::NEG_INFINITY);
        assert_eq!(ln_sum(&[f64::NEG_INFINITY]), f64::NEG_INFINITY);
        assert!((ln_sum(&[1000.0, 1000.0]) - 1000.0 - 2.0_f64.ln()).abs() < 1e-12);
    }
}
