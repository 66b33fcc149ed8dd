//! Factorises numbers of nodes into sizes of dimensions.

/// Maximum number of factorisations; numbers up to a million have fewer.
const MOST: usize = 1 << 14;

/// Returns all factorisations of `nodes` into at least two factors of at least 2, the largest factor first.
/// Factorisations whose largest factor is smallest come first. If there are too many, those with the most factors are
/// left out.
pub(super) fn factorisations(nodes: u32) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    let mut dimensions = 2;
    while u64::from(nodes) >> dimensions > 0 && found.len() < MOST {
        found.append(&mut products(nodes, dimensions));
        dimensions += 1;
    }
    found.truncate(MOST);
    found.sort();
    found
}

/// Returns the factorisations into the given number of factors, in the form of [`factorisations`].
pub(super) fn products(nodes: u32, dimensions: usize) -> Vec<Vec<u32>> {
    let divisors: Vec<u32> = divisors(nodes);
    let mut found = Vec::new();
    extend(nodes, dimensions, &divisors, &mut Vec::new(), &mut found);
    found
}

fn divisors(number: u32) -> Vec<u32> {
    let small = (1..).take_while(|d| d * d <= u64::from(number));
    let small: Vec<u32> = small
        .map(|divisor| divisor as u32)
        .filter(|&divisor| number.is_multiple_of(divisor))
        .collect();
    let large = small.iter().rev().map(|&divisor| number / divisor);
    let mut divisors: Vec<u32> = small.iter().copied().chain(large).collect();
    divisors.dedup();
    divisors
}

fn extend(
    rest: u32,
    missing: usize,
    divisors: &[u32],
    factors: &mut Vec<u32>,
    found: &mut Vec<Vec<u32>>,
) {
    let most = factors.last().copied().unwrap_or(rest);
    if missing <= 1 {
        if missing == 1 && (2..=most).contains(&rest) && found.len() < MOST {
            factors.push(rest);
            found.push(factors.clone());
            factors.pop();
        }
        return;
    }
    for &factor in divisors.iter().skip(1).filter(|&&factor| factor <= most) {
        // The following factors are at least 2 and at most as large as this one.
        let fits = u64::from(factor).checked_pow(missing as u32);
        let is_enough = fits.is_none_or(|most| most >= u64::from(rest));
        if is_enough && rest.is_multiple_of(factor) && rest / factor >= 1 << (missing - 1).min(31) {
            factors.push(factor);
            extend(rest / factor, missing - 1, divisors, factors, found);
            factors.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_square_products_come_first() {
        let products = |nodes| {
            let products = factorisations(nodes).into_iter();
            let words = products.map(|sizes| {
                let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
                sizes.join("x")
            });
            words.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(products(16), "2x2x2x2 4x2x2 4x4 8x2");
        assert_eq!(products(36), "3x3x2x2 4x3x3 6x3x2 6x6 9x2x2 9x4 12x3 18x2");
        assert_eq!(products(7), "");
        assert_eq!(products(1), "");
        assert_eq!(products(4), "2x2");
        assert_eq!(factorisations(4096).len(), 76);
        assert_eq!(super::products(12, 1), [vec![12]]);
    }

    #[test]
    fn highly_composite_numbers_are_fast() {
        let sizes = factorisations(720_720 * 2048);
        assert_eq!(sizes.len(), MOST);
        assert!(sizes.iter().any(|sizes| sizes.len() == 2));
    }
}
