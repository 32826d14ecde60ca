#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "units/result.h"

namespace jettison {

// How a Quantity likes to be written; decides its suffix ("129e6", "129Mi", "129M").
enum class QuantityFormat : std::uint8_t { kDecimalExponent, kBinarySI, kDecimalSI };

// A signed 128-bit count of billionths, wide enough for every amount a node can hold.
__extension__ using Nanos = __int128;

// A Kubernetes resource quantity: an exact decimal number of unlimited size with a preferred form,
// equal in parsing, arithmetic, comparison and text to k8s.io/apimachinery's resource.Quantity
// (1.36). Amounts up to 64 bits stay inline and never allocate; larger ones live on the heap.
class Quantity {
 public:
  // Zero, DecimalSI.
  Quantity() = default;
  // A whole number; the default form is the one the kubelet gives to what it measured.
  [[nodiscard]] static Quantity Of(std::int64_t value,
                                   QuantityFormat format = QuantityFormat::kBinarySI);
  // Fails on what Kubernetes refuses; rounds up below one billionth and caps as Kubernetes does.
  [[nodiscard]] static Result<Quantity> Parse(std::string_view text);

  [[nodiscard]] QuantityFormat format() const { return format_; }
  // -1, 0 or 1.
  [[nodiscard]] int Sign() const;
  [[nodiscard]] bool IsZero() const { return Sign() == 0; }
  // The whole units, rounded up (away from zero), as Quantity.Value(); Kubernetes' overflow rules.
  [[nodiscard]] std::int64_t Value() const;
  // The thousandths, rounded up, as Quantity.MilliValue().
  [[nodiscard]] std::int64_t MilliValue() const;
  // Billionths; an amount beyond +-10^29 units saturates.
  [[nodiscard]] Nanos ToNanos() const;
  // What Quantity.String() answers (the canonical form, or the text it was parsed from where
  // Kubernetes keeps that).
  [[nodiscard]] std::string ToString() const;

  // Exact. The left side's form is kept, but a zero left side takes the right side's form, as in
  // Kubernetes.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  // Compares amounts, never forms: 1Gi == 1024Mi. Returns -1, 0 or 1.
  [[nodiscard]] int Compare(const Quantity& other) const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  friend bool operator<(const Quantity& a, const Quantity& b) { return a.Compare(b) < 0; }
  friend bool operator>(const Quantity& a, const Quantity& b) { return a.Compare(b) > 0; }

 private:
  struct Large;  // an unscaled integer of any size

  std::int64_t value_ = 0;  // amount = value_ * 10^scale_ unless large_ is set
  std::int32_t scale_ = 0;
  QuantityFormat format_ = QuantityFormat::kDecimalSI;
  std::shared_ptr<const Large> large_;  // immutable; amount = large_ * 10^scale_
  std::string text_;                    // the parsed text where Kubernetes keeps it, else empty
};

}  // namespace jettison
