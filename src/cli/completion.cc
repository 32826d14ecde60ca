#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/ask/ask_agent.h"
#include "cli/commands.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "cli/top/top.h"
#include "core/model/signal.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

// Finds how the last word of a command line may go on, by what the command line knows: commands,
// options, their values.
class Completer {
 public:
  explicit Completer(const CLI::App& app) : app_(&app) {}

  // A line for each way, with a description behind a tab; ":files" where files may stand, too.
  // `words` stand behind the program's name; the last may be empty. "--option=value" may be one
  // word or, as bash parts them, three.
  std::string LinesFor(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) Take(words[i]);
    if (!words.empty()) last_ = words.back();
    if (awaiting_ != nullptr) {
      if (last_ == "=") last_.clear();  // bash: nothing of the value is there yet
      AddValues(*awaiting_);
    } else if (is_within_word_ || last_ == "=") {
      return "";  // the value of a sweep, for instance
    } else if (const std::size_t equals = last_.find('='); !last_.starts_with('-')) {
      AddArguments();
    } else if (equals == std::string::npos) {
      AddOptions();
    } else if (const CLI::Option* option = OptionNamed(last_.substr(0, equals))) {
      AddValues(*option, last_.substr(0, equals + 1));
    }
    return lines_ + (files_ ? ":files\n" : "");
  }

 private:
  void Take(const std::string& word) {
    if (awaiting_ != nullptr) {
      if (word == "=") return;
      if (awaiting_->check_lname("server")) server_ = word;
      awaiting_ = nullptr;
    } else if (is_within_word_ || word == "=") {
      is_within_word_ = word == "=";
    } else if (const std::size_t equals = word.find('='); word.starts_with('-')) {
      const CLI::Option* option = OptionNamed(word.substr(0, equals));
      if (equals == std::string::npos) awaiting_ = option;
      if (option == nullptr || equals == std::string::npos) return;
      if (option->check_lname("server")) server_ = word.substr(equals + 1);
    } else if (const auto commands = app_->get_subcommands(
                   [&](const CLI::App* command) { return command->get_name() == word; });
               !commands.empty()) {
      app_ = commands.front();
    } else {
      ++positionals_;
    }
  }

  // One that takes a value; null: there is none.
  [[nodiscard]] const CLI::Option* OptionNamed(const std::string& name) const {
    const CLI::Option* option = app_->get_option_no_throw(name);
    return option != nullptr && option->get_items_expected_max() > 0 ? option : nullptr;
  }

  void Add(const std::string& text, std::string_view description = {}) {
    if (!text.starts_with(last_)) return;
    description = description.substr(0, description.find('\n'));
    lines_ += Printable(text) + (description.empty() ? "" : "\t" + Printable(description)) + "\n";
  }

  void AddOptions() {
    for (const CLI::Option* option : app_->get_options()) {
      if (option->get_group().empty()) continue;
      for (const std::string& name : option->get_lnames()) {
        Add("--" + name, option->get_description());
      }
    }
  }

  // Commands, or values of the argument without a name that comes next.
  void AddArguments() {
    const auto commands = app_->get_subcommands(
        [](const CLI::App* command) { return !command->get_group().empty(); });  // not hidden
    for (const CLI::App* command : commands) Add(command->get_name(), command->get_description());
    if (!commands.empty()) return;
    std::size_t left = positionals_;
    for (const CLI::Option* option : app_->get_options()) {
      if (!option->get_positional()) continue;
      const auto most = static_cast<std::size_t>(std::max(option->get_items_expected_max(), 1));
      if (left < most) return AddValues(*option);
      left -= most;
    }
  }

  // Each behind `prefix`: "--output=".
  void AddValues(const CLI::Option& option, const std::string& prefix = "") {
    const std::string shown = option.get_type_name();  // with what its check adds: "TEXT:{a,b}"
    const std::string type = shown.substr(0, shown.find(':'));
    const std::size_t begin = shown.find('{');
    if (option.check_lname("signal")) {
      for (const Signal signal : kAllSignals) Add(prefix + std::string(NameOf(signal)));
    } else if (option.check_lname("sweep")) {
      for (const std::string& key : SweepKeys()) Add(prefix + key + "=");
    } else if (type == "POD|EVICTION") {
      // Nothing where the agent does not answer at once.
      AskOptions options{.timeout_seconds = 1};
      if (const char* variable = std::getenv("JETTISON_SERVER")) options.server = variable;
      if (server_) options.server = *server_;
      const auto answer = AskAgent(options, kOverviewPath);
      const auto overview = answer ? ReadOverview(*answer) : Fail(answer.error());
      if (!overview) return;
      for (const OverviewPod& pod : overview->pods) {
        Add(pod.namespace_ + "/" + pod.name, pod.activity);
      }
    } else if (begin != std::string::npos) {
      std::istringstream values(shown.substr(begin + 1, shown.find('}') - begin - 1));
      for (std::string value; std::getline(values, value, ',');) Add(prefix + value);
    } else {
      files_ = type == "FILE" || type == "DIR" || type == "PATH";
    }
  }

  // Where the words before the last one have led.
  const CLI::App* app_;
  const CLI::Option* awaiting_ = nullptr;  // an option whose value comes next
  std::size_t positionals_ = 0;            // values given so far that belong to no option
  bool is_within_word_ = false;            // bash has parted a word at its "="; the rest comes next
  std::optional<std::string> server_;
  std::string last_;
  std::string lines_;
  bool files_ = false;
};

}  // namespace

void AddComplete(CLI::App& app, int& /*exit_code*/) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("complete", "List what can be typed next, for shells");
  command->group("")->add_option("WORD", *words, "behind --");
  // A shell that waits for words has no use for a status.
  command->callback([&app, words] { (void)PrintData(Completer(app).LinesFor(*words)); });
}

}  // namespace jettison
