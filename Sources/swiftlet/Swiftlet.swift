// The executable's entry: picks the subcommand.

@main
struct Swiftlet {
  static func main() {
    print("swiftlet")
  }
}
