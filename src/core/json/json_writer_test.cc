#include "core/json/json_writer.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace jettison {
namespace {

std::string Written(std::string_view text) {
  std::string out;
  JsonWriter(out).String(text);
  return out;
}

TEST(JsonWriter, CommasStandBetweenWhatIsWritten) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("a", 1);
    json.Field("none", std::optional<int>());
    json.Field("b", std::optional<std::string>("x"));
    json.Array("c", [&] {
      json.Null();
      json.Json(R"({"raw":true})");
    });
  });
  EXPECT_EQ(out, R"({"a":1,"b":"x","c":[null,{"raw":true}]})");
}

TEST(JsonWriter, ControlCharactersAndQuotesAreEscaped) {
  EXPECT_EQ(Written("a\"b\\c\n\t\r\x01"), "\"a\\\"b\\\\c\\n\\t\\r\\u0001\"");
}

TEST(JsonWriter, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(Written("größe € 😀 \xFF"), "\"größe € 😀 \uFFFD\"");
}

TEST(JsonWriter, WhatIsEmptyCanBeLeftOut) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.ObjectUnlessEmpty("a", [&] { json.ArrayUnlessEmpty("b", [] {}); });
    json.ArrayUnlessEmpty("c", [&] { json.Object([] {}); });
    json.ObjectUnlessEmpty("d", [] {});
    json.Field("e", 1);
  });
  EXPECT_EQ(out, R"({"c":[{}],"e":1})");
}

TEST(JsonWriter, LinesAreIndentedForPeople) {
  std::string out;
  JsonWriter json(out, 2);
  json.Object([&] {
    json.Array("a", [&] {
      json.Number(1);
      json.Object([&] { json.Field("b", "x"); });
    });
    json.Array("c", [] {});
  });
  EXPECT_EQ(out, "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x\"\n    }\n  ],\n  \"c\": []\n}");
}

}  // namespace
}  // namespace jettison
