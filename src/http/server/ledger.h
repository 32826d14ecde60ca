#pragma once

#include <cstddef>
#include <utility>

namespace jettison::http {

// Bytes that are held for all clients together, and the most that may be. One ledger may be a part
// of another, which then counts them, too. Used by one thread.
class Ledger {
 public:
  explicit Ledger(std::size_t most, Ledger* whole = nullptr) : most_(most), whole_(whole) {}
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // False, and nothing is counted, where that would be too much.
  [[nodiscard]] bool Take(std::size_t bytes) {
    if (bytes > left() || (whole_ != nullptr && !whole_->Take(bytes))) return false;
    held_ += bytes;
    return true;
  }
  // Counts bytes without a check, for what exists in any case, such as connections, whose number is
  // limited.
  void Count(std::size_t bytes) {
    if (whole_ != nullptr) whole_->Count(bytes);
    held_ += bytes;
  }
  void Give(std::size_t bytes) {
    if (whole_ != nullptr) whole_->Give(bytes);
    held_ -= bytes;
  }
  [[nodiscard]] std::size_t held() const { return held_; }
  [[nodiscard]] std::size_t left() const { return held_ < most_ ? most_ - held_ : 0; }

 private:
  std::size_t most_;
  std::size_t held_ = 0;
  Ledger* whole_;
};

// A part of what a ledger counts, given back when this goes.
class Share {
 public:
  Share() = default;
  explicit Share(Ledger& ledger) : ledger_(&ledger) {}
  Share(Share&& other) noexcept
      : ledger_(std::exchange(other.ledger_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Share& operator=(Share&& other) noexcept {
    if (this != &other) {
      Resize(0);
      ledger_ = std::exchange(other.ledger_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~Share() { Resize(0); }

  // As much as that from now on; false, and as before, where the ledger has no room.
  bool Resize(std::size_t bytes) {
    if (ledger_ == nullptr) return bytes == 0;
    if (bytes > bytes_ && !ledger_->Take(bytes - bytes_)) return false;
    if (bytes < bytes_) ledger_->Give(bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }
  // As much more, whether there is room or not.
  void Count(std::size_t bytes) {
    ledger_->Count(bytes);
    bytes_ += bytes;
  }

 private:
  Ledger* ledger_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace jettison::http
