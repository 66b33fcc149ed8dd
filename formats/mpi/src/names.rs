//! Normalises the names of MPI routines, which recorders spell as in C, in Fortran or in the profiling
//! interface.

/// Returns the name of an MPI routine in lower case, without the prefixes and suffixes of the language:
/// `recv` for `mpi_recv_`, `PMPI_Recv` and `MPI_Recv_f08`. `None` if `name` is not an MPI routine.
///
/// ```
/// use foldtrace_mpi::mpi_routine;
/// assert_eq!(mpi_routine("PMPI_Recv").as_deref(), Some("recv"));
/// assert_eq!(mpi_routine("main"), None);
/// ```
#[must_use]
pub fn mpi_routine(name: &str) -> Option<String> {
    let name = name.trim_end_matches('_').to_ascii_lowercase();
    let name = name.strip_prefix('p').unwrap_or(&name);
    let own = name.strip_prefix("mpi_")?;
    let own = own.strip_suffix("_f08ts").or(own.strip_suffix("_f08"));
    let own = own.unwrap_or(&name["mpi_".len()..]);
    (!own.is_empty()).then(|| own.to_owned())
}

/// Returns the C name of an MPI routine as in the MPI standard: `MPI_Recv` for `mpi_recv_`. `None` if
/// `name` is not an MPI routine.
///
/// ```
/// use foldtrace_mpi::mpi_name;
/// assert_eq!(mpi_name("mpi_comm_rank_").as_deref(), Some("MPI_Comm_rank"));
/// ```
#[must_use]
pub fn mpi_name(name: &str) -> Option<String> {
    let own = mpi_routine(name)?;
    let (first, rest) = own.split_at_checked(1)?;
    Some(format!("MPI_{}{rest}", first.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_have_one_name() {
        for name in [
            "MPI_Recv",
            "mpi_recv_",
            "mpi_recv__",
            "PMPI_Recv",
            "pmpi_recv_",
            "MPI_Recv_f08",
            "MPI_RECV",
        ] {
            assert_eq!(mpi_name(name).as_deref(), Some("MPI_Recv"), "{name}");
        }
        assert_eq!(
            mpi_name("MPI_Init_thread").as_deref(),
            Some("MPI_Init_thread")
        );
        for name in [
            "",
            "recv",
            "main",
            "mpi",
            "MPI_",
            "p",
            "pmpi",
            "ümpi_",
            "MPI::Recv",
        ] {
            assert_eq!(mpi_name(name), None, "{name}");
        }
    }
}
