// links: jettison_documents nlohmann_json::nlohmann_json
//
// Any bytes, read as JSON and as YAML: neither may crash, hang or throw, and the JSON reader must
// accept what another strict parser accepts, and nothing else.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "codec/documents/documents.h"
#include "codec/documents/json.h"
#include "codec/documents/room.h"
#include "fuzz/fuzz.h"

namespace {

// Notes what the other parser saw, and accepts everything it can.
class Witness : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool overflow = false;  // a number that fits no double: we keep its text
  bool scalar = false;    // the top is neither object nor list: we refuse it
  int deepest = 0;

  bool null() override { return Scalar(); }
  bool boolean(bool) override { return Scalar(); }
  bool number_integer(number_integer_t) override { return Scalar(); }
  bool number_unsigned(number_unsigned_t) override { return Scalar(); }
  bool number_float(number_float_t, const string_t&) override { return Scalar(); }
  bool string(string_t&) override { return Scalar(); }
  bool binary(binary_t&) override { return Scalar(); }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return Enter(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) override {
    overflow = e.id == 406;
    return false;
  }

 private:
  bool Scalar() {
    scalar = scalar || depth_ == 0;
    return true;
  }
  bool Enter() {
    deepest = std::max(deepest, ++depth_);
    return true;
  }
  bool Leave() {
    --depth_;
    return true;
  }
  int depth_ = 0;
};

void CompareJson(std::string_view text) {
  if (text.find('\0') != text.npos) return;  // which ends the text for the other parser
  const auto ours = jettison::ParseJson(text);
  Witness witness;
  const bool theirs = nlohmann::json::sax_parse(text, &witness);
  if (ours && !theirs && !witness.overflow) std::abort();
  const bool must_accept =
      theirs && !witness.scalar && witness.deepest <= jettison::kMaxDocumentDepth;
  if (must_accept && !ours && ours.error().message.find(" twice") == std::string::npos) {
    std::abort();
  }
}

}  // namespace

void Fuzz(std::string_view text) {
  CompareJson(text);
  jettison::documents::Room room(jettison::kUnlimitedMemory);
  static_cast<void>(jettison::documents::ParseJsonInARow(text, room));
  static_cast<void>(jettison::documents::ParseYaml(text, room));
}
