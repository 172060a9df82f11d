//! Arrays by name, out of a `.npz`: a ZIP archive of `.npy` files.
//!
//! Only what NumPy writes is read: one disk, no encryption, no 64-bit extensions, members stored or deflated, arrays
//! in C order. The caller knows every name and shape beforehand, so nothing that the file says about sizes is ever
//! allocated; it is compared. Sources: PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16; NumPy's
//! `numpy.lib.format`, version 1.0.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;

use crate::files::Malformed;

const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
const CENTRAL_HEADER: [u8; 4] = *b"PK\x01\x02";
const END_OF_DIRECTORY: [u8; 4] = *b"PK\x05\x06";

/// The end record with the longest comment.
const LONGEST_END: u64 = 22 + 0xffff;
/// A directory of a hundred arrays has about 6 kB.
const LONGEST_DIRECTORY: usize = 1 << 16;
/// NumPy fills its headers up to a multiple of 64 bytes; ours have 128.
const LONGEST_HEADER: usize = 1 << 10;

/// An archive whose directory has been read.
pub(crate) struct Npz<R> {
    from: BufReader<R>,
    members: HashMap<String, Member>,
}

/// Where an array lies, as the directory has it.
#[derive(Clone, Copy)]
struct Member {
    method: u16,
    crc: u32,
    packed: u64,
    header_at: u64,
}

impl<R: Read + Seek> Npz<R> {
    /// Reads the directory.
    pub(crate) fn open(mut from: R) -> Result<Self, Malformed> {
        let directory = directory(&mut from).map_err(|_| Malformed::new("no ZIP archive, or cut off"))?;
        Ok(Self { from: BufReader::with_capacity(1 << 16, from), members: members(&directory)? })
    }

    /// The numbers of the array `name`, of 32 bits each, row by row, which must have the shape `shape`. None of them is
    /// infinite or no number at all.
    pub(crate) fn floats(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Malformed> {
        let mut bytes = vec![0; shape.iter().product::<usize>() * size_of::<f32>()];
        self.bytes(name, "<f4", shape, &mut bytes)?;
        let (numbers, _) = bytes.as_chunks();
        let numbers: Vec<f32> = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(Malformed::new(format!("array {name}: infinite, or not a number")));
        }
        Ok(numbers)
    }

    /// Fills `into` with the contents of the array `name`, row by row, which must be of the type that NumPy calls
    /// `descr` and of the shape `shape`, and so exactly as long as `into`.
    pub(crate) fn bytes(&mut self, name: &str, descr: &str, shape: &[usize], into: &mut [u8]) -> Result<(), Malformed> {
        let malformed = |why: &str| Malformed::new(format!("array {name}: {why}"));
        let member = *self.members.get(name).ok_or_else(|| malformed("not there"))?;
        self.seek_to_contents(member).map_err(|_| malformed("cut off, or not where the directory says"))?;
        let packed = Read::by_ref(&mut self.from).take(member.packed);
        let mut unpacked: CrcReader<Box<dyn Read + '_>> = CrcReader::new(match member.method {
            0 => Box::new(packed),
            8 => Box::new(DeflateDecoder::new(packed)),
            _ => return Err(malformed("packed in an unknown way")),
        });
        let header = header(&mut unpacked).map_err(|_| malformed("no array"))?;
        if header.trim_end() != expected_header(descr, shape) {
            return Err(malformed("another type or shape than expected"));
        }
        // The end is asked for, too: only there does the unpacking know that nothing is wrong.
        match unpacked.read_exact(into).and_then(|()| unpacked.read(&mut [0])) {
            Ok(0) if unpacked.crc().sum() == member.crc => Ok(()),
            Ok(0) => Err(malformed("its checksum is wrong")),
            Ok(_) => Err(malformed("longer than its shape")),
            Err(_) => Err(malformed("damaged or cut off")),
        }
    }

    /// The lengths of name and extra field in the local header are its own; all else the directory knows.
    fn seek_to_contents(&mut self, member: Member) -> io::Result<()> {
        self.from.seek(SeekFrom::Start(member.header_at))?;
        let mut header = [0; 30];
        self.from.read_exact(&mut header)?;
        if !header.starts_with(&LOCAL_HEADER) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let rest = i64::from(u16_at(&header, 26)) + i64::from(u16_at(&header, 28));
        self.from.seek_relative(rest)
    }
}

/// The bytes of the directory.
fn directory(from: &mut (impl Read + Seek)) -> io::Result<Vec<u8>> {
    let length = from.seek(SeekFrom::End(0))?;
    from.seek(SeekFrom::Start(length.saturating_sub(LONGEST_END)))?;
    let mut tail = Vec::new();
    Read::by_ref(from).take(LONGEST_END).read_to_end(&mut tail)?;
    let starts = tail.len().checked_sub(22).map(|last| (0..=last).rev());
    let end = starts.into_iter().flatten().find(|&at| tail[at..].starts_with(&END_OF_DIRECTORY));
    let end = &tail[end.ok_or(io::ErrorKind::InvalidData)?..];
    let (size, at) = (u32_at(end, 12) as usize, u32_at(end, 16));
    if size > LONGEST_DIRECTORY {
        return Err(io::ErrorKind::InvalidData.into());
    }
    from.seek(SeekFrom::Start(at.into()))?;
    let mut directory = vec![0; size];
    from.read_exact(&mut directory)?;
    Ok(directory)
}

/// The arrays of a directory, without the ending `.npy`.
fn members(directory: &[u8]) -> Result<HashMap<String, Member>, Malformed> {
    let mut members = HashMap::new();
    let mut rest = directory;
    while !rest.is_empty() {
        let malformed = || Malformed::new("the directory of the archive");
        let (header, after) = rest.split_at_checked(46).ok_or_else(malformed)?;
        if !header.starts_with(&CENTRAL_HEADER) {
            return Err(malformed());
        }
        let (name, after) = after.split_at_checked(u16_at(header, 28).into()).ok_or_else(malformed)?;
        let more = usize::from(u16_at(header, 30)) + usize::from(u16_at(header, 32));
        rest = after.get(more..).ok_or_else(malformed)?;
        let name = std::str::from_utf8(name).map_err(|_| malformed())?;
        let member = Member {
            method: u16_at(header, 10),
            crc: u32_at(header, 16),
            packed: u32_at(header, 20).into(),
            header_at: u32_at(header, 42).into(),
        };
        members.insert(name.strip_suffix(".npy").unwrap_or(name).to_owned(), member);
    }
    Ok(members)
}

/// The description at the beginning of a `.npy`: magic, version, length, and a Python dictionary.
fn header(from: &mut impl Read) -> io::Result<String> {
    let mut start = [0; 10];
    from.read_exact(&mut start)?;
    let length = usize::from(u16_at(&start, 8));
    if !start.starts_with(b"\x93NUMPY\x01\x00") || length > LONGEST_HEADER {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut header = vec![0; length];
    from.read_exact(&mut header)?;
    String::from_utf8(header).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// What NumPy writes, to the letter: it sorts the keys and leaves a comma after a single dimension.
fn expected_header(descr: &str, shape: &[usize]) -> String {
    let shape = match shape {
        [only] => format!("{only},"),
        many => many.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
    };
    format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}")
}

/// Two bytes at `at`, which is inside a header of known length.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// Four bytes at `at`, which is inside a header of known length.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::write::DeflateEncoder;
    use flate2::{Compression, Crc};
    use proptest::prelude::*;

    use super::*;

    fn npy(descr: &str, shape: &[usize], contents: &[u8]) -> Vec<u8> {
        let header = format!("{:<117}\n", expected_header(descr, shape));
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), contents].concat()
    }

    /// An archive as NumPy writes them.
    fn archive(members: &[(&str, u16, Vec<u8>)]) -> Vec<u8> {
        let (mut file, mut directory) = (Vec::new(), Vec::new());
        for (name, method, contents) in members {
            let packed = if *method == 8 {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(contents).unwrap();
                encoder.finish().unwrap()
            } else {
                contents.clone()
            };
            let mut crc = Crc::new();
            crc.update(contents);
            let name = format!("{name}.npy");
            let mut common = vec![20, 0, 0, 0];
            common.extend(method.to_le_bytes());
            common.extend([0; 4]);
            common.extend(crc.sum().to_le_bytes());
            common.extend((packed.len() as u32).to_le_bytes());
            common.extend((contents.len() as u32).to_le_bytes());
            common.extend((name.len() as u16).to_le_bytes());
            directory.extend([&CENTRAL_HEADER[..], &[20, 0], &common, &[0; 12]].concat());
            directory.extend((file.len() as u32).to_le_bytes());
            directory.extend(name.as_bytes());
            file.extend([&LOCAL_HEADER[..], &common, &[0, 0], name.as_bytes(), &packed].concat());
        }
        let at = (file.len() as u32).to_le_bytes();
        let count = (members.len() as u16).to_le_bytes();
        let size = (directory.len() as u32).to_le_bytes();
        file.extend([&directory, &END_OF_DIRECTORY[..], &[0; 4], &count, &count, &size, &at, &[0, 0]].concat());
        file
    }

    fn floats(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    fn sample() -> Vec<u8> {
        archive(&[
            ("q1", 8, npy("|u1", &[2, 3], &[1, 2, 3, 4, 5, 6])),
            ("w", 8, npy("<f4", &[2], &floats(&[0.5, -2.0]))),
            ("plain", 0, npy("<f4", &[1], &floats(&[7.0]))),
            ("eps", 8, npy("<f8", &[], &1e-3_f64.to_le_bytes())),
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
        npz.bytes("q1", "|u1", &[2, 3], &mut table)?;
        npz.bytes("eps", "<f8", &[], &mut eps)?;
        let (w, plain) = (npz.floats("w", &[2])?, npz.floats("plain", &[1])?);
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
        let with = |array: Vec<u8>| refusal(&archive(&[("q1", 8, array)]));
        assert!(with(npy("|u1", &[3, 2], &[0; 6])).contains("another type or shape"));
        assert!(with(npy("|i1", &[2, 3], &[0; 6])).contains("another type or shape"));
        assert!(with(npy("|u1", &[999_999_999, 999_999_999], &[0; 6])).contains("another type or shape"));
        assert!(with(npy("|u1", &[2, 3], &[0; 7])).contains("longer than its shape"));
        assert!(with(npy("|u1", &[2, 3], &[0; 5])).contains("cut off"));
        assert!(with(b"no array at all".to_vec()).contains("no array"));
        assert!(with(Vec::new()).contains("no array"));
    }

    #[test]
    fn numbers_that_are_none_are_refused() {
        for wrong in [f32::NAN, f32::INFINITY] {
            let archive = archive(&[("w", 8, npy("<f4", &[1], &floats(&[wrong])))]);
            assert!(Npz::open(Cursor::new(archive)).unwrap().floats("w", &[1]).is_err());
        }
    }

    #[test]
    fn what_is_missing_or_packed_otherwise_is_named() {
        assert!(refusal(&archive(&[])).contains("array q1: not there"));
        let other = archive(&[("q1", 12, npy("|u1", &[2, 3], &[0; 6]))]);
        assert!(refusal(&other).contains("array q1: packed in an unknown way"));
    }

    #[test]
    fn a_directory_that_claims_to_be_huge_is_not_believed() {
        let mut huge = sample();
        let end = huge.len() - 22;
        huge[end + 12..end + 16].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&huge).is_err());
        let mut elsewhere = sample();
        elsewhere[end + 16..end + 20].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&elsewhere).is_err());
    }

    #[test]
    fn a_comment_after_the_directory_is_no_trouble() {
        let mut commented = sample();
        commented.extend(b"a comment");
        assert!(read(&commented).is_ok());
    }

    proptest! {
        #[test]
        fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            prop_assert!(read(&bytes).is_err());
            prop_assert!(read(&[bytes.as_slice(), &END_OF_DIRECTORY, &[0; 18]].concat()).is_err());
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
