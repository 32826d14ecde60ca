#include "runtimes/cri/own_containerd/image_archive.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "kernel/files/files.h"
#include "kernel/programs/programs.h"

namespace jettison::cri {
namespace {

constexpr std::size_t kBlock = 512;

using Kind = ImageEntry::Kind;

// One entry of a tar archive (POSIX.1-1988 ustar), owned by root, with the time of the epoch.
void Append(std::string& tar, const ImageEntry& entry) {
  const std::string& content = entry.kind == Kind::kFile ? entry.content : std::string();
  std::array<char, kBlock> header{};
  const auto put = [&](std::size_t at, const std::string& text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, entry.path);
  put(100, entry.path == "tmp/" ? "0001777" : "0000755");
  put(108, "0000000");  // owner
  put(116, "0000000");  // group
  put(124, fmt::format("{:011o}", content.size()));
  put(136, "00000000000");  // modified
  put(148, "        ");     // the checksum field counts as blanks
  header[156] = static_cast<char>(entry.kind);
  if (entry.kind == Kind::kLink) put(157, entry.content);
  put(257, "ustar");
  put(263, "00");
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  tar.append(header.data(), header.size());
  tar += content;
  tar.append((kBlock - content.size() % kBlock) % kBlock, '\0');
}

std::string Tar(const std::vector<ImageEntry>& entries) {
  std::string tar;
  for (const ImageEntry& entry : entries) Append(tar, entry);
  tar.append(2 * kBlock, '\0');
  return tar;
}

// The SHA-256 of some bytes in hexadecimal.
Result<std::string> DigestOf(const std::string& bytes, const std::string& scratch) {
  const auto program = FindProgram("sha256sum");
  if (!program) return Fail(program.error());
  if (auto written = kernel::WriteFile(scratch, bytes); !written) return Fail(written.error());
  const auto line = RunProgram({*program, scratch});
  ::unlink(scratch.c_str());
  if (!line) return Fail(line.error());
  return line->substr(0, line->find(' '));
}

// References and arguments contain nothing that JSON requires to be escaped.
std::string ListJson(const std::vector<std::string>& texts) {
  return texts.empty() ? "[]" : fmt::format(R"(["{}"])", fmt::join(texts, R"(",")"));
}

}  // namespace

Result<std::string> ImageArchive(const std::vector<OwnImage>& images, const std::string& scratch) {
  std::vector<ImageEntry> entries;
  std::vector<std::string> manifest;
  for (const OwnImage& image : images) {
    std::string layer = Tar(image.entries);
    const auto digest = DigestOf(layer, scratch);
    if (!digest) return Fail(digest.error());
    // Without its reference two images with the same content would be one.
    std::string config = fmt::format(
        R"({{"architecture":"amd64","os":"linux","config":{{"Entrypoint":{},"Cmd":{},)"
        R"("WorkingDir":"/","Labels":{{"jettison.io/reference":"{}"}}}},)"
        R"("rootfs":{{"type":"layers","diff_ids":["sha256:{}"]}}}})",
        ListJson(image.entrypoint), ListJson(image.arguments), image.reference, *digest);
    const std::string config_name = fmt::format("{}.json", manifest.size());
    const std::string layer_name = fmt::format("{}.tar", manifest.size());
    manifest.push_back(fmt::format(R"({{"Config":"{}","RepoTags":["{}"],"Layers":["{}"]}})",
                                   config_name, image.reference, layer_name));
    entries.push_back({config_name, Kind::kFile, std::move(config)});
    entries.push_back({layer_name, Kind::kFile, std::move(layer)});
  }
  entries.push_back({"manifest.json", Kind::kFile, fmt::format("[{}]", fmt::join(manifest, ","))});
  return Tar(entries);
}

}  // namespace jettison::cri
