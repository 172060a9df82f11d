//! Reads arrays by name from a `.npz`: a ZIP archive of `.npy` files.
//!
//! The caller knows every name, type and shape beforehand, so no size that the file states is ever allocated; the
//! header is compared. The layout of a header is that of NumPy's `numpy.lib.format`, version 1.0.

use std::io::{self, BufReader, Read, Seek};

use zip::{ZipArchive, result::ZipError};

use crate::files::Malformed;

/// The longest header of an array, in bytes. NumPy pads headers to a multiple of 64 bytes; these have 128.
const MAX_HEADER_BYTES: usize = 1 << 10;

/// An archive whose directory has been read.
pub(crate) struct Npz<R>(ZipArchive<BufReader<R>>);

impl<R: Read + Seek> Npz<R> {
    /// Reads the directory.
    pub(crate) fn open(from: R) -> Result<Self, Malformed> {
        let archive = ZipArchive::new(BufReader::with_capacity(1 << 16, from));
        archive.map(Self).map_err(|_| Malformed::new("no ZIP archive, or cut off"))
    }

    /// The array `name` of 32-bit floats in row order. It must have the shape `shape` and hold finite numbers only.
    pub(crate) fn read_floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Malformed> {
        let mut bytes = vec![0; shape.iter().product::<usize>() * size_of::<f32>()];
        self.read_bytes(name, "<f4", shape, &mut bytes)?;
        let (numbers, _) = bytes.as_chunks();
        let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(Malformed::new(format!("array {name}: infinite, or not a number")));
        }
        Ok(numbers)
    }

    /// Fills `into` with the contents of the array `name` in row order. The array must have the type `descr` (NumPy's
    /// name) and the shape `shape`, and so exactly the length of `into`.
    pub(crate) fn read_bytes(
        &mut self,
        name: &str,
        descr: &str,
        shape: &[usize],
        into: &mut [u8],
    ) -> Result<(), Malformed> {
        let malformed = |why: &str| Malformed::new(format!("array {name}: {why}"));
        let mut member = self.0.by_name(&format!("{name}.npy")).map_err(|error| match error {
            ZipError::FileNotFound => malformed("missing"),
            _ => malformed("cut off, or compressed in an unknown way"),
        })?;
        let header = read_header(&mut member).map_err(|_| malformed("no array"))?;
        if header.trim_end() != expected_header(descr, shape) {
            return Err(malformed("another type or shape than expected"));
        }
        // The checksum is compared when the end is reached, so the end is read too.
        match member.read_exact(into).and_then(|()| member.read(&mut [0])) {
            Ok(0) => Ok(()),
            Ok(_) => Err(malformed("longer than its shape")),
            Err(_) => Err(malformed("damaged or cut off")),
        }
    }
}

/// The description at the beginning of a `.npy`: magic, version, length, and a Python dictionary.
fn read_header(from: &mut impl Read) -> io::Result<String> {
    let mut start = [0; 10];
    from.read_exact(&mut start)?;
    let length = usize::from(u16::from_le_bytes([start[8], start[9]]));
    if !start.starts_with(b"\x93NUMPY\x01\x00") || length > MAX_HEADER_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut header = vec![0; length];
    from.read_exact(&mut header)?;
    String::from_utf8(header).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// The header as NumPy writes it: keys sorted, a comma after a single dimension.
fn expected_header(descr: &str, shape: &[usize]) -> String {
    let shape = match shape {
        [only] => format!("{only},"),
        many => many.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}")
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use proptest::prelude::*;
    use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

    use super::*;

    const DEFLATED: CompressionMethod = CompressionMethod::Deflated;
    const STORED: CompressionMethod = CompressionMethod::Stored;
    /// Length of the record that ends an archive without a comment.
    const END_BYTES: usize = 22;

    fn npy(descr: &str, shape: &[usize], contents: &[u8]) -> Vec<u8> {
        let header = format!("{:<117}\n", expected_header(descr, shape));
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), contents].concat()
    }

    fn archive(members: &[(&str, CompressionMethod, Vec<u8>)]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, method, contents) in members {
            let options = SimpleFileOptions::default().compression_method(*method);
            writer.start_file(format!("{name}.npy"), options).unwrap();
            writer.write_all(contents).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn read_floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn sample() -> Vec<u8> {
        archive(&[
            ("q1", DEFLATED, npy("|u1", &[2, 3], &[1, 2, 3, 4, 5, 6])),
            ("w", DEFLATED, npy("<f4", &[2], &read_floats(&[0.5, -2.0]))),
            ("plain", STORED, npy("<f4", &[1], &read_floats(&[7.0]))),
            ("eps", DEFLATED, npy("<f8", &[], &1e-3_f64.to_le_bytes())),
        ])
    }

    #[derive(Debug, PartialEq)]
    struct Sample {
        table: [u8; 6],
        w: Vec<f32>,
        plain: Vec<f32>,
        eps: f64,
    }

    /// Reads all that is in [`sample`].
    fn read(archive: &[u8]) -> Result<Sample, Malformed> {
        let mut npz = Npz::open(Cursor::new(archive))?;
        let (mut table, mut eps) = ([0; 6], [0; 8]);
        npz.read_bytes("q1", "|u1", &[2, 3], &mut table)?;
        npz.read_bytes("eps", "<f8", &[], &mut eps)?;
        let (w, plain) = (npz.read_floats("w", &[2])?, npz.read_floats("plain", &[1])?);
        Ok(Sample { table, w, plain, eps: f64::from_le_bytes(eps) })
    }

    fn refusal(archive: &[u8]) -> String {
        format!("{:?}", read(archive).unwrap_err())
    }

    #[test]
    fn arrays_are_read_by_name_packed_or_not() {
        let expected = Sample { table: [1, 2, 3, 4, 5, 6], w: vec![0.5, -2.0], plain: vec![7.0], eps: 1e-3 };
        assert_eq!(read(&sample()).unwrap(), expected);
    }

    #[test]
    fn another_shape_or_type_is_refused() {
        let with = |array: Vec<u8>| refusal(&archive(&[("q1", DEFLATED, array)]));
        assert!(with(npy("|u1", &[3, 2], &[0; 6])).contains("another type or shape"));
        assert!(with(npy("|i1", &[2, 3], &[0; 6])).contains("another type or shape"));
        assert!(with(npy("|u1", &[999_999_999, 999_999_999], &[0; 6])).contains("another type or shape"));
        assert!(with(npy("|u1", &[2, 3], &[0; 7])).contains("longer than its shape"));
        assert!(with(npy("|u1", &[2, 3], &[0; 5])).contains("cut off"));
        assert!(with(b"no array at all".to_vec()).contains("no array"));
        assert!(with(Vec::new()).contains("no array"));
    }

    #[test]
    fn infinite_and_undefined_numbers_are_refused() {
        for wrong in [f32::NAN, f32::INFINITY] {
            let archive = archive(&[("w", DEFLATED, npy("<f4", &[1], &read_floats(&[wrong])))]);
            assert!(Npz::open(Cursor::new(archive)).unwrap().read_floats("w", &[1]).is_err());
        }
    }

    #[test]
    fn a_missing_or_unreadable_member_is_named() {
        assert!(refusal(&archive(&[])).contains("array q1: missing"));
        let mut bzip2 = archive(&[("q1", STORED, npy("|u1", &[2, 3], &[0; 6]))]);
        // The compression method in both headers of the only member: 12 is bzip2, which is not built in.
        let directory = bzip2.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
        (bzip2[8], bzip2[directory + 10]) = (12, 12);
        assert!(refusal(&bzip2).contains("array q1"));
    }

    #[test]
    fn a_directory_that_claims_to_be_huge_is_not_believed() {
        let mut huge = sample();
        let end = huge.len() - END_BYTES;
        huge[end + 12..end + 16].copy_from_slice(&u32::MAX.to_le_bytes());
        // The size is not needed, so it is not used.
        assert_eq!(read(&huge), read(&sample()));
        let mut elsewhere = sample();
        elsewhere[end + 16..end + 20].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&elsewhere).is_err());
    }

    #[test]
    fn a_comment_after_the_directory_is_accepted() {
        let mut commented = sample();
        let length_at = commented.len() - 2;
        commented[length_at] = 9;
        commented.extend(b"a comment");
        assert!(read(&commented).is_ok());
    }

    proptest! {
        #[test]
        fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            prop_assert!(read(&bytes).is_err());
            prop_assert!(read(&[bytes.as_slice(), b"PK\x05\x06", &[0; 18]].concat()).is_err());
        }

        #[test]
        fn an_archive_that_is_cut_off_is_refused(share in 0.0..1.0f64) {
            let whole = sample();
            prop_assert!(read(&whole[..(whole.len() as f64 * share) as usize]).is_err());
        }

        #[test]
        fn flipped_bits_are_refused_or_change_nothing(flips in prop::collection::vec((0.0..1.0f64, 0..8u8), 1..4)) {
            let mut flipped = sample();
            let length = flipped.len() as f64;
            for (share, bit) in flips {
                flipped[(length * share) as usize] ^= 1 << bit;
            }
            if let Ok(found) = read(&flipped) {
                prop_assert_eq!(found, read(&sample()).unwrap());
            }
        }
    }
}
