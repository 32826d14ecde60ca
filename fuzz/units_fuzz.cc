// links: jettison_units

#include "core/units/duration.h"
#include "core/units/quantity.h"
#include "fuzz/fuzz.h"

namespace {

using jettison::Quantity;

// Kubernetes writes no suffix beyond "E", and caps what it reads with a binary one at 2^63-1: only
// amounts below can be read back.
bool IsWrittenWhole(const Quantity& quantity) {
  const bool binary = quantity.format() == jettison::QuantityFormat::kBinarySI;
  const Quantity limit = Quantity::Parse(binary ? "9223372036854775807" : "1e21").value();
  return quantity < limit && Quantity() - limit < quantity;
}

void CheckOne(const Quantity& quantity) {
  (void)quantity.Value();
  (void)quantity.MilliValue();
  Require((quantity.ToNanos() > 0) == (quantity.Sign() > 0));
  Require((quantity.ToNanos() < 0) == (quantity.Sign() < 0));
  Require(!quantity.ToString().empty());
  if (!IsWrittenWhole(quantity)) return;
  const auto again = Quantity::Parse(quantity.ToString());
  Require(again.has_value() && *again == quantity);
}

void CheckTwo(const Quantity& a, const Quantity& b) {
  Require(a.Compare(b) == -b.Compare(a));
  Require(a + b == b + a);
  const Quantity difference = a - b;
  Require(difference.Sign() == a.Compare(b));
  Require(difference + b == a);
  CheckOne(difference);
}

// What was read is written so that it reads back as the same.
void ReadTimes(std::string_view text) {
  if (const auto duration = jettison::ParseDuration(text)) {
    Require(jettison::ParseDuration(jettison::FormatDuration(*duration)) == duration);
  }
  if (const auto instant = jettison::ParseInstant(text)) {
    Require(jettison::ParseInstant(jettison::FormatInstant(*instant)) == instant);
  }
}

}  // namespace

// Two quantities, parted by the first line feed; where there is none, the second is empty.
void Fuzz(std::string_view text) {
  ReadTimes(text);
  const std::size_t end = text.find('\n');
  const auto a = Quantity::Parse(text.substr(0, end));
  if (!a) return;
  CheckOne(*a);
  if (end == std::string_view::npos) return;
  const auto b = Quantity::Parse(text.substr(end + 1));
  if (b) CheckTwo(*a, *b);
}
