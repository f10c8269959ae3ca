// Fuzz target: a conversation between the real player and an untrusted worker.

import Conversations
import Fuzzing
import Glibc

@main struct FuzzConversations {
  static func main() {
    exit(
      runFuzzer { data, size in
        if let finding = ConversationTrial.finding(in: input(data, size), isAlone: true) {
          preconditionFailure(finding)
        }
        return 0
      })
  }
}
