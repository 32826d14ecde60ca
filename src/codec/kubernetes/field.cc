#include "codec/kubernetes/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/model/redaction.h"
#include "core/text/number.h"
#include "core/text/spelling.h"
#include "core/units/quantity.h"

namespace jettison::kube_json {
namespace {

const Value* Present(const Value* value) {
  return value == nullptr || value->IsNull() ? nullptr : value;
}

// Whether leaving the value out would change nothing.
bool SaysNothing(const Value& value) {
  if (const auto* list = value.AsList()) return list->empty();
  if (const auto* map = value.AsMap()) return map->empty();
  if (const auto* boolean = value.AsBool()) return !*boolean;
  return value.IsNull();
}

}  // namespace

std::string TextOf(const Value* value) {
  if (value == nullptr) return {};
  if (const auto* text = value->AsString()) return *text;
  if (const auto* number = value->AsNumber()) return number->text;
  if (const auto* boolean = value->AsBool()) return *boolean ? "true" : "false";
  return {};
}

Field::Field(const Value& root, FaultLog& log, std::string_view prefix)
    : value_(Present(&root)), log_(&log), name_(prefix) {}

Field::Field(const Field& parent, const Value* value, Step step, std::string_view name,
             std::size_t index)
    : parent_(&parent),
      value_(Present(value)),
      log_(parent.log_),
      step_(step),
      name_(name),
      index_(index) {}

Field Field::Member(std::string_view name) const& {
  return {*this, value_ == nullptr ? nullptr : value_->Find(name), Step::kMember, name};
}

Field Field::Item(std::size_t index) const& {
  const Value::List* list = value_ == nullptr ? nullptr : value_->AsList();
  const bool there = list != nullptr && index < list->size();
  return {*this, there ? &(*list)[index] : nullptr, Step::kItem, {}, index};
}

std::string Field::Path() const {
  std::string path = parent_ == nullptr ? std::string() : parent_->Path();
  switch (step_) {
    case Step::kRoot: return std::string(name_);
    case Step::kMember: return path + (path.empty() ? "" : ".") + std::string(name_);
    case Step::kItem: return fmt::format("{}[{}]", path, index_);
    case Step::kEntry: return fmt::format("{}[{}]", path, name_);
  }
  __builtin_unreachable();
}

bool Field::IsMap() const {
  if (value_ == nullptr) return false;
  if (value_->AsMap() != nullptr) return true;
  FaultOfType("a map");
  return false;
}

bool Field::HoldsMap() const {
  return value_ != nullptr && value_->AsMap() != nullptr;
}

bool Field::HoldsTextOrNothing() const {
  return value_ == nullptr || value_->AsString() != nullptr;
}

std::optional<std::string> Field::String() const {
  if (value_ == nullptr) return std::nullopt;
  if (const auto* text = value_->AsString()) return *text;
  const bool quotable = value_->AsNumber() != nullptr || value_->AsBool() != nullptr;
  FaultOfType(quotable ? "a string: write it in quotes" : "a string");
  return std::nullopt;
}

std::optional<bool> Field::Bool() const {
  if (value_ == nullptr) return std::nullopt;
  if (const auto* boolean = value_->AsBool()) return *boolean;
  FaultOfType("true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Field::Integer(std::int64_t least, std::int64_t most) const {
  if (value_ == nullptr) return std::nullopt;
  if (const auto* text = value_->AsNumber()) {
    const auto number = ParseNumber<std::int64_t>(text->text);
    if (number && *number >= least && *number <= most) return number;
  }
  FaultOfType(fmt::format("a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<Quantity> Field::Bytes() const {
  auto amount = Amount();
  if (const auto why = amount ? WhyThousandths(TextOf(value_)) : ""; !why.empty()) Warn(why);
  return amount;
}

std::optional<Quantity> Field::Amount() const {
  if (value_ == nullptr) return std::nullopt;
  if (value_->AsString() == nullptr && value_->AsNumber() == nullptr) {
    FaultOfType("a quantity such as 128Mi");
    return std::nullopt;
  }
  Result<Quantity> amount = Quantity::Parse(TextOf(value_));
  if (amount) return *std::move(amount);
  Fault("must be a quantity such as 128Mi, 500m or 2e9: " + amount.error().message);
  return std::nullopt;
}

void Field::ForEachItem(const std::function<void(const Field&)>& visit) const {
  if (value_ == nullptr) return;
  const Value::List* list = value_->AsList();
  if (list == nullptr) return FaultOfType("a list");
  for (std::size_t i = 0; i < list->size(); ++i)
    visit(Field(*this, &(*list)[i], Step::kItem, {}, i));
}

std::vector<std::string> Field::Strings() const {
  std::vector<std::string> strings;
  ForEachItem([&](const Field& item) {
    if (!item.IsPresent()) item.Fault("must be a string, found null");
    strings.push_back(item.String().value_or(""));
  });
  return strings;
}

void Field::ForEachEntry(const std::function<void(std::string_view, const Field&)>& visit) const {
  if (!IsMap()) return;
  for (const auto& [name, value] : *value_->AsMap()) {
    visit(name, Field(*this, &value, Step::kEntry, name));
  }
}

void Field::Fault(std::string message) const {
  if (const int line = Line(); line > 0) message += fmt::format(" (line {})", line);
  AddFault(log_->faults, {.file = log_->file,
                          .key = Path(),
                          .value = IsSecret() ? std::string(kRedacted) : TextOf(value_),
                          .message = std::move(message)});
}

void Field::Warn(std::string_view message) const {
  if (log_->lenient) return;
  const int line = Line();
  AddLine(log_->warnings, fmt::format("{}: {}{}", Path(), message,
                                      line > 0 ? fmt::format(" (line {})", line) : ""));
}

void Field::Unsupported(std::string_view advice) const {
  if (!log_->lenient) Fault(fmt::format("not supported here; {}", advice));
}

void Field::WarnOfOthers(std::span<const std::string_view> known) const {
  if (log_->lenient || !HoldsMap()) return;
  for (const auto& [name, value] : *value_->AsMap()) {
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    if (is_known || SaysNothing(value)) continue;
    // A hostile document has a million of them.
    const bool is_listed = log_->warnings.size() < kMostFaults;
    const std::string meant = is_listed ? DidYouMean(name, known) : "";
    Field(*this, &value, Step::kMember, name)
        .Warn(fmt::format("not supported here{}, has no effect", meant));
  }
}

void Field::FaultOfType(std::string_view wanted) const {
  const bool scalar = value_->AsList() == nullptr && value_->AsMap() == nullptr;
  Fault(scalar ? fmt::format("must be {}", wanted)
               : fmt::format("must be {}, found {}", wanted, value_->KindName()));
}

bool Field::IsSecret() const {
  if (step_ != Step::kMember || name_ != "value" || value_ == nullptr) return false;
  return parent_->step_ == Step::kItem && parent_->parent_->name_ == "env";
}

int Field::Line() const {
  const Field* field = this;
  while (field != nullptr && (field->value_ == nullptr || field->value_->line() == 0)) {
    field = field->parent_;
  }
  return field == nullptr ? 0 : field->value_->line();
}

}  // namespace jettison::kube_json
