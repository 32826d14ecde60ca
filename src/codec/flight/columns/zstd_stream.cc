#include "codec/flight/columns/zstd_stream.h"

#include <fmt/format.h>
#include <zstd.h>

#include <array>

namespace jettison {
namespace {

// A larger window gains a twentieth of the size, and takes three times the memory.
constexpr int kLevel = 6;
constexpr int kWindowLog = 15;
constexpr int kHashLog = 14;
constexpr int kChainLog = 14;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

struct ZstdWriter::Context {
  std::unique_ptr<ZSTD_CCtx, FreeContext> zstd{ZSTD_createCCtx()};
  std::string* out = nullptr;
  std::size_t fault = 0;  // of the library; 0: none
  std::array<char, std::size_t{4} << 10> piece{};

  void Run(std::string_view text, ZSTD_EndDirective end);
};

void ZstdWriter::Context::Run(std::string_view text, ZSTD_EndDirective end) {
  if (!zstd || ZSTD_isError(fault) != 0) return;
  ZSTD_inBuffer in{text.data(), text.size(), 0};
  for (;;) {
    ZSTD_outBuffer to{piece.data(), piece.size(), 0};
    const std::size_t left = ZSTD_compressStream2(zstd.get(), &to, &in, end);
    if (ZSTD_isError(left) != 0) {
      fault = left;
      return;
    }
    out->append(piece.data(), to.pos);
    if (end == ZSTD_e_end ? left == 0 : in.pos == in.size) return;
  }
}

ZstdWriter::ZstdWriter() : context_(std::make_unique<Context>()) {
  if (!context_->zstd) return;
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    (void)ZSTD_CCtx_setParameter(context_->zstd.get(), parameter, value);
  };
  set(ZSTD_c_compressionLevel, kLevel);
  set(ZSTD_c_windowLog, kWindowLog);
  set(ZSTD_c_hashLog, kHashLog);
  set(ZSTD_c_chainLog, kChainLog);
}

ZstdWriter::~ZstdWriter() = default;
ZstdWriter::ZstdWriter(ZstdWriter&&) noexcept = default;
ZstdWriter& ZstdWriter::operator=(ZstdWriter&&) noexcept = default;

void ZstdWriter::Begin(std::string& out) {
  context_->out = &out;
  context_->fault = 0;
  if (context_->zstd) (void)ZSTD_CCtx_reset(context_->zstd.get(), ZSTD_reset_session_only);
}

void ZstdWriter::Add(std::string_view piece) {
  context_->Run(piece, ZSTD_e_continue);
}

Result<void> ZstdWriter::Finish() {
  context_->Run({}, ZSTD_e_end);
  context_->out = nullptr;
  if (!context_->zstd) return Fail(ErrorCode::kUnavailable, "zstd: no memory");
  if (ZSTD_isError(context_->fault) == 0) return {};
  return Fail(ErrorCode::kUnavailable, fmt::format("zstd: {}", ZSTD_getErrorName(context_->fault)));
}

Result<std::string> ZstdText(std::string_view compressed, std::size_t size) {
  static thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> kContext{ZSTD_createDCtx()};
  if (!kContext) return Fail(ErrorCode::kUnavailable, "zstd: no memory");
  std::string text(size, '\0');
  const std::size_t read = ZSTD_decompressDCtx(kContext.get(), text.data(), text.size(),
                                               compressed.data(), compressed.size());
  if (ZSTD_isError(read) != 0) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("zstd: {}", ZSTD_getErrorName(read)));
  }
  if (read != size) return Fail(ErrorCode::kInvalidArgument, "it is shorter than it says");
  return text;
}

}  // namespace jettison
