#include "tests/packaging/objects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <utility>

#include "codec/documents/documents.h"

namespace jettison {
namespace {

const Value* Member(const Value& value, std::string_view name) {
  const Value::List* list = value.AsList();
  if (list == nullptr) return value.Find(name);
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  return error == std::errc() && place < list->size() ? &(*list)[place] : nullptr;
}

}  // namespace

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Value> Documents(const std::string& text, const std::string& name) {
  auto documents = ParseDocuments(text);
  if (documents) return *std::move(documents);
  ADD_FAILURE() << name << ": " << documents.error().message;
  return {};
}

const Value* At(const Value& value, std::string_view path) {
  const Value* at = &value;
  while (at != nullptr && !path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    at = Member(*at, path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return at;
}

std::string TextAt(const Value& value, std::string_view path) {
  const Value* at = At(value, path);
  const std::string* text = at == nullptr ? nullptr : at->AsString();
  return text == nullptr ? std::string() : *text;
}

std::vector<std::string> TextsAt(const Value& value, std::string_view path) {
  std::vector<std::string> texts;
  const Value* at = At(value, path);
  if (at == nullptr || at->AsList() == nullptr) return texts;
  for (const Value& each : *at->AsList()) texts.push_back(TextAt(each, ""));
  return texts;
}

std::string Canonical(const Value& value) {
  if (const auto* map = value.AsMap()) {
    std::map<std::string, std::string> members;
    for (const auto& [key, member] : *map) members[key] = Canonical(member);
    std::string text = "{";
    for (const auto& [key, member] : members) text += fmt::format("{}: {}, ", key, member);
    return text + "}";
  }
  if (const auto* list = value.AsList()) {
    std::string text = "[";
    for (const Value& each : *list) text += Canonical(each) + ", ";
    return text + "]";
  }
  if (const auto* text = value.AsString()) return fmt::format("\"{}\"", *text);
  if (const auto* number = value.AsNumber()) return number->text;
  if (const auto* flag = value.AsBool()) return *flag ? "true" : "false";
  return "null";
}

std::string Json(const Value& value) {
  std::string inside;
  const auto add = [&inside](const std::string& text) {
    inside += (inside.empty() ? "" : ", ") + text;
  };
  if (const auto* map = value.AsMap()) {
    for (const auto& [key, member] : *map) add(Json(Value(key)) + ": " + Json(member));
    return "{" + inside + "}";
  }
  if (const auto* list = value.AsList()) {
    for (const Value& each : *list) add(Json(each));
    return "[" + inside + "]";
  }
  const auto* text = value.AsString();
  if (text == nullptr) return Canonical(value);
  for (const char c : *text) {
    if (c == '"' || c == '\\') inside += '\\';
    inside += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return "\"" + inside + "\"";
}

std::map<std::string, Value> ByName(const std::vector<Value>& objects) {
  std::map<std::string, Value> named;
  for (const Value& object : objects) {
    const auto name = TextAt(object, "kind") + " " + TextAt(object, "metadata.name");
    EXPECT_TRUE(named.emplace(name, object).second) << name << " is there twice";
  }
  return named;
}

}  // namespace jettison
