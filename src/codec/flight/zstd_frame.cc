#include "codec/flight/zstd_frame.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <memory>

namespace jettison {
namespace {

// A larger window gains little, and takes several times the memory while a frame is made.
constexpr int kLevel = 6;
constexpr int kWindowLog = 17;
constexpr int kTableLog = 16;
constexpr std::size_t kMostText = std::size_t{64} << 20;
constexpr std::string_view kMagic = "\x28\xB5\x2F\xFD";

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

Result<void> AppendZstdFrame(std::string_view text, std::string& out) {
  const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (!context) return Fail(ErrorCode::kUnavailable, "there is no memory to compress it");
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    (void)ZSTD_CCtx_setParameter(context.get(), parameter, value);
  };
  set(ZSTD_c_compressionLevel, kLevel);
  set(ZSTD_c_windowLog, kWindowLog);
  set(ZSTD_c_hashLog, kTableLog);
  set(ZSTD_c_chainLog, kTableLog);
  set(ZSTD_c_checksumFlag, 1);
  const std::size_t before = out.size();
  out.resize(before + ZSTD_compressBound(text.size()));
  const std::size_t size = ZSTD_compress2(context.get(), out.data() + before, out.size() - before,
                                          text.data(), text.size());
  const bool is_done = ZSTD_isError(size) == 0;
  out.resize(before + (is_done ? size : 0));
  if (is_done) return {};
  return Fail(ErrorCode::kUnavailable, ZSTD_getErrorName(size));
}

bool BeginsZstdFrame(std::string_view bytes) {
  return kMagic.starts_with(bytes.substr(0, kMagic.size()));
}

Result<std::size_t> ZstdFrameSize(std::string_view bytes) {
  const std::size_t size = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
  if (ZSTD_isError(size) == 0) return size;
  if (ZSTD_getErrorCode(size) == ZSTD_error_srcSize_wrong) {
    return Fail(ErrorCode::kNotFound, "it is not complete");
  }
  return Fail(ErrorCode::kInvalidArgument, "it is damaged: a frame makes no sense");
}

Result<std::string> ZstdText(std::string_view frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size > kMostText) {  // unknown, too
    return Fail(ErrorCode::kInvalidArgument, "it is damaged: a frame makes no sense");
  }
  std::string text(size, '\0');
  const std::size_t done = ZSTD_decompress(text.data(), text.size(), frame.data(), frame.size());
  if (ZSTD_isError(done) == 0 && done == text.size()) return text;
  return Fail(ErrorCode::kInvalidArgument, "it is damaged: a checksum is wrong");
}

}  // namespace jettison
