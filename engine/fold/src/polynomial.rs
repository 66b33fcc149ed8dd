//! Polynomials in loop indices with rational coefficients, for the positions and lengths of constructs.
//!
//! For rectangular loops, these are affine. A loop whose bound depends on an outer index makes them polynomials of a
//! higher degree (Ketterlin et al., RR-8562, section V.B).

use std::collections::BTreeMap;
use std::fmt;

use num_rational::Ratio;

type Number = Ratio<i128>;

/// Exponents, one per loop depth (0 is the outermost), without trailing zeros.
type Monomial = Vec<u8>;

/// A polynomial in the indices `i0`, `i1`, … of enclosing loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial {
    terms: BTreeMap<Monomial, Number>,
}

impl Polynomial {
    /// Returns the polynomial with the same value everywhere.
    #[must_use]
    pub fn constant(value: i64) -> Self {
        let mut polynomial = Self::default();
        polynomial.add_term(Vec::new(), Number::from_integer(i128::from(value)));
        polynomial
    }

    /// Returns the index of the loop at `depth`.
    #[must_use]
    pub fn index(depth: usize) -> Self {
        let mut monomial = vec![0; depth + 1];
        monomial[depth] = 1;
        let mut polynomial = Self::default();
        polynomial.add_term(monomial, Number::from_integer(1));
        polynomial
    }

    /// Returns an affine function, given by a constant and one coefficient per loop depth.
    pub fn affine(constant: i64, coefficients: impl IntoIterator<Item = (usize, i64)>) -> Self {
        coefficients
            .into_iter()
            .fold(Self::constant(constant), |sum, (depth, c)| {
                sum.add(&Self::index(depth).scale(c))
            })
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: Number) {
        let entry = self
            .terms
            .entry(monomial)
            .or_insert_with(|| Number::from_integer(0));
        *entry += coefficient;
        self.terms.retain(|_, c| *c != Number::from_integer(0));
    }

    /// Returns the sum of two polynomials.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.terms {
            sum.add_term(monomial.clone(), *coefficient);
        }
        sum
    }

    fn scale(&self, factor: i64) -> Self {
        self.multiply(&Self::constant(factor))
    }

    fn divide(&self, divisor: i128) -> Self {
        Self {
            terms: self
                .terms
                .iter()
                .map(|(m, c)| (m.clone(), *c / divisor))
                .collect(),
        }
    }

    fn multiply(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (m, c) in &self.terms {
            for (n, d) in &other.terms {
                let mut monomial = vec![0; m.len().max(n.len())];
                for (i, exponent) in monomial.iter_mut().enumerate() {
                    *exponent = m.get(i).unwrap_or(&0) + n.get(i).unwrap_or(&0);
                }
                product.add_term(monomial, *c * *d);
            }
        }
        product
    }

    /// Returns the sum of this polynomial over the index at `depth`, from 0 to `count` (exclusive). `count` must not
    /// depend on that index, unless it is the index itself.
    #[must_use]
    pub fn sum_below(&self, depth: usize, count: &Self) -> Self {
        let mut sum = Self::default();
        let mut powers: Vec<Self> = Vec::new();
        for (monomial, coefficient) in &self.terms {
            let exponent = usize::from(monomial.get(depth).copied().unwrap_or(0));
            while powers.len() <= exponent {
                let next = power_sum(powers.len() as u32, &powers, count);
                powers.push(next);
            }
            let mut rest = monomial.clone();
            if let Some(e) = rest.get_mut(depth) {
                *e = 0;
            }
            while rest.last() == Some(&0) {
                rest.pop();
            }
            let mut factor = Self::default();
            factor.add_term(rest, *coefficient);
            sum = sum.add(&factor.multiply(&powers[exponent]));
        }
        sum
    }

    /// Returns the value at these indices, or `None` if it is not an integer or too large.
    #[must_use]
    pub fn at(&self, indices: &[i64]) -> Option<i64> {
        let mut sum = Number::from_integer(0);
        for (monomial, coefficient) in &self.terms {
            let mut term = *coefficient;
            for (depth, &exponent) in monomial.iter().enumerate() {
                let index =
                    Number::from_integer(i128::from(indices.get(depth).copied().unwrap_or(0)));
                for _ in 0..exponent {
                    term *= index;
                }
            }
            sum += term;
        }
        if sum.is_integer() {
            i64::try_from(sum.to_integer()).ok()
        } else {
            None
        }
    }

    /// Returns the value if it is the same everywhere.
    #[must_use]
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.keys().all(Vec::is_empty).then(|| self.at(&[]))?
    }
}

/// Returns the sum of the `k`th powers of 0 … `count`−1, computed from the sums of the smaller powers: (k+1) S_k =
/// n^(k+1) − Σ_{j<k} C(k+1, j) S_j.
fn power_sum(k: u32, smaller: &[Polynomial], count: &Polynomial) -> Polynomial {
    let mut sum = (0..=k).fold(Polynomial::constant(1), |power, _| power.multiply(count));
    let mut binomial: i128 = 1;
    for (j, lower) in smaller.iter().enumerate() {
        let scaled = Polynomial {
            terms: lower
                .terms
                .iter()
                .map(|(m, c)| (m.clone(), -*c * binomial))
                .collect(),
        };
        sum = sum.add(&scaled);
        binomial = binomial * i128::from(k + 1 - j as u32) / (j as i128 + 1);
    }
    sum.divide(i128::from(k) + 1)
}

impl fmt::Display for Polynomial {
    /// Writes the polynomial as in `3+644*i0`, or `(-i0+i0*i0)/2` if coefficients are fractions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let denominator = self
            .terms
            .values()
            .fold(1_i128, |d, c| d / gcd(d, *c.denom()) * *c.denom());
        let mut text = String::new();
        for (monomial, coefficient) in &self.terms {
            let coefficient = (*coefficient * denominator).to_integer();
            let mut factors: Vec<String> = Vec::new();
            for (depth, &exponent) in monomial.iter().enumerate() {
                factors.extend((0..exponent).map(|_| format!("i{depth}")));
            }
            if factors.is_empty() || coefficient.abs() != 1 {
                factors.insert(0, coefficient.abs().to_string());
            }
            if coefficient < 0 {
                text.push('-');
            } else if !text.is_empty() {
                text.push('+');
            }
            text.push_str(&factors.join("*"));
        }
        match (text.is_empty(), denominator) {
            (true, _) => f.write_str("0"),
            (false, 1) => f.write_str(&text),
            (false, d) => write!(f, "({text})/{d}"),
        }
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_well() {
        assert_eq!(
            Polynomial::affine(3, [(0, 644), (2, -1)]).to_string(),
            "3-i2+644*i0"
        );
        assert_eq!(Polynomial::default().to_string(), "0");
        let triangle = Polynomial::index(1).sum_below(1, &Polynomial::index(0));
        assert_eq!(triangle.to_string(), "(-i0+i0*i0)/2");
    }

    proptest! {
        #[test]
        fn sums_are_sums(a in -9i64..9, b in -9i64..9, c in -9i64..9, d in 0i64..5, i in 0i64..9) {
            // Σ_{j < d + 2 i} (a + b j + c j i + j²)
            let j = Polynomial::index(1);
            let term = Polynomial::affine(a, [(1, b)])
                .add(&j.multiply(&Polynomial::index(0)).scale(c))
                .add(&j.multiply(&j));
            let sum = term.sum_below(1, &Polynomial::affine(d, [(0, 2)]));
            let expected: i64 = (0..d + 2 * i).map(|j| a + b * j + c * j * i + j * j).sum();
            prop_assert_eq!(sum.at(&[i]), Some(expected));
        }
    }
}
