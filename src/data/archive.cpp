#include "data/archive.h"

#include "bootfold/random.h"
#include "bootfold/version.h"
#include "text/concat.h"

namespace bootfold::data {

namespace {

constexpr std::string_view kMagic = "BOOTFOLD";
constexpr std::uint32_t kFormat = 2;

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 0x243F6A8885A308D3U;
  const auto mix = [&](std::uint64_t word) {
    sum = (sum ^ word) * 0x9E3779B97F4A7C15U;
    sum ^= sum >> 32;
  };
  while (bytes.size() >= sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    mix(word);
    bytes.remove_prefix(sizeof word);
  }
  for (const char byte : bytes) mix(static_cast<unsigned char>(byte) + 0x100U);
  return sum;
}

/// What comes before the contents.
struct Header {
  std::string kind;
  std::uint32_t format = kFormat;
  std::string version = kVersion;
  std::uint32_t streams = random::kStreamVersion;
  std::uint64_t size = 0;

  template <class Archive>
  void visit(Archive& archive) {
    archive(kind, format, version, streams, size);
  }
};

std::string bytes_of(Header header) {
  ArchiveWriter writer;
  writer(header);
  return writer.take();
}

}  // namespace

std::string framed(std::string_view kind, std::string contents) {
  Header header;
  header.kind = kind;
  header.size = contents.size();
  std::string all(kMagic);
  all += bytes_of(header);
  all += contents;
  std::uint64_t sum = checksum(all);
  ArchiveWriter writer;
  writer(sum);
  return all + writer.take();
}

std::string kind_of_frame(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return {};
  try {
    ArchiveReader reader(bytes.substr(kMagic.size()));
    std::string kind;
    reader(kind);
    return kind;
  } catch (const DataError&) {
    return {};
  }
}

std::string_view unframed(std::string_view kind, std::string_view bytes) {
  const std::string found = kind_of_frame(bytes);
  if (found.empty())
    throw DataError(text::concat("it is not a ", kind, "; bootfold ", kind, " makes one"));
  if (found != kind)
    throw DataError(text::concat("it is a ", found, " but a ", kind, " is expected"));
  Header header;
  ArchiveReader reader(bytes.substr(kMagic.size()));
  std::uint32_t format = 0;
  reader(header.kind, format);
  if (format != kFormat)
    throw DataError(text::concat("it has format ", format, " but this bootfold reads format ",
                                 kFormat, "; use one version of bootfold throughout"));
  header.format = format;
  reader(header.version, header.streams, header.size);
  if (header.streams != random::kStreamVersion)
    throw DataError(text::concat("it was made by bootfold ", header.version,
                                 " with random streams of version ", header.streams,
                                 " but this bootfold ", kVersion, " has version ",
                                 random::kStreamVersion, "; use one version throughout"));
  const std::size_t begin = kMagic.size() + bytes_of(header).size();
  constexpr std::size_t kSum = sizeof(std::uint64_t);
  if (bytes.size() < begin + kSum || bytes.size() - begin - kSum != header.size)
    throw DataError(
        text::concat("it is cut off or has more bytes than it says (", bytes.size(), " in all)"));
  std::uint64_t sum = 0;
  ArchiveReader(bytes.substr(begin + header.size))(sum);
  if (sum != checksum(bytes.substr(0, begin + header.size)))
    throw DataError("its checksum is wrong, so it is damaged; make it again");
  if (header.version != kVersion)
    throw DataError(text::concat("it was made by bootfold ", header.version,
                                 " but this is bootfold ", kVersion,
                                 "; use one version throughout"));
  return bytes.substr(begin, header.size);
}

}  // namespace bootfold::data
