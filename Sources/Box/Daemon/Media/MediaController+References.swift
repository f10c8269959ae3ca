// Checks whether stored names of music, files and folders exist, and suggests similar names. Control thread, except
// where stated.

import Console
import Decoding
import Media
import Platform
import PlaybackModel

extension MediaController {
  /// Finds the path of a name that differs from an existing one in letter case or accent encoding only.
  ///
  /// - Parameters:
  ///   - name: The name, which does not exist as typed.
  ///   - media: Access to the storage.
  ///   - then: Receives the path if there is exactly one, or else a sentence with the nearest name, if any.
  func findAlike(
    _ name: String, _ media: any MediaLookup, then: @escaping (_ path: String?, _ sentence: String?) -> Void
  ) {
    // Names outside the media roots cannot be found.
    guard name.utf8.first != 0x2F || configuration.roots.root(of: name) != nil else { return then(nil, nil) }
    let places = configuration.roots
    let roots = places.candidates(for: name)
    let sticks = configuration.settings.removableFolder
    RootSearch(
      roots, in: readers, scheduler, wantsAll: true,
      { root in NameMatch(of: name, in: root, within: places, media, mayBeEmpty: root == sticks) }
    ) { (search: RootSearch<NameMatch>) in
      var paths: [String] = []
      for case .alike(let path) in search.found { paths.append(path) }
      then(paths.count == 1 ? paths[0] : nil, NameMatch.suggestion(name, search.found))
    }
  }

  /// Checks whether music, files and folders exist. Names of other kinds are skipped.
  ///
  /// - Parameters:
  ///   - names: The names.
  ///   - then: Receives a sentence without a full stop for each name that does not exist or whose storage is unmounted.
  func check(_ names: [NamedReference], then: @escaping (_ warnings: [String]) -> Void) {
    check(names[...], [], then: then)
  }

  private func check(
    _ names: ArraySlice<NamedReference>, _ warnings: [String], then: @escaping ([String]) -> Void
  ) {
    guard let name = names.first else { return then(warnings) }
    check(name) { [unowned(unsafe) self] warning in
      check(names.dropFirst(), warnings + (warning.map { [$0] } ?? []), then: then)
    }
  }

  private func check(_ reference: NamedReference, then: @escaping (String?) -> Void) {
    switch reference.thing {
    case .music: checkMusic(reference.name, then: then)
    case .sound, .file: match(reference.name, as: reference.thing, then: then)
    case .folder: checkFolder(reference.name, then: then)
    case .newFile:
      checkFolder(AtomicFile.folder(of: reference.name)) { problem in
        then(problem.map { $0 + ", so '" + reference.name + "' cannot be written" })
      }
    case .output, .button, .group, .timeZone, .address, .server: then(nil)
    }
  }

  private func checkMusic(_ name: String, then: @escaping (String?) -> Void) {
    if MediaList.isStream(name) {
      return then(AddressText(name)?.problem.map { ConsoleError.badAddress(name, $0).sentence })
    }
    if name == "." { return then(nil) }
    if let saved = PlaylistName(path: name) {
      return playlists.tracks(of: saved) { lookup in
        if case .refused(let error) = lookup { then(error.sentence) } else { then(nil) }
      }
    }
    if let problem = NameMatch.beyond(name, configuration.roots) { return then(problem) }
    match(name, as: .music, then: then)
  }

  private func match(_ name: String, as thing: NamedThing, then: @escaping (String?) -> Void) {
    let (media, places) = (media, configuration.roots.covering(name))
    let roots = places.candidates(for: name)
    let sticks = configuration.settings.removableFolder
    RootSearch(
      roots, in: readers, scheduler, wantsAll: true,
      { root in NameMatch(of: name, in: root, within: places, media, mayBeEmpty: root == sticks) }
    ) { (search: RootSearch<NameMatch>) in
      then(
        NameMatch.sentence(
          name, search.found, as: thing, silent: search.silentRoots.first,
          away: search.root { $0 == .away }))
    }
  }

  private func checkFolder(_ folder: String, then: @escaping (String?) -> Void) {
    let media = media
    readers.read(folder, { Self.problem(ofFolder: folder, media) }) { (problem: String??) in
      then(
        problem ?? "it is not known whether there is a folder '" + folder + "': its storage does not answer")
    }
  }

  /// Blocks on storage.
  private static func problem(ofFolder folder: String, _ media: any MediaLookup) -> String? {
    do throws(SystemError) {
      _ = try media.entries(of: folder, within: MediaRoots([folder]))
      return nil
    } catch {
      return NamedThing.problem(ofFolder: folder, error)
    }
  }
}

extension NamedThing {
  /// Warning about a folder that cannot be listed, without a full stop.
  package static func problem(ofFolder folder: String, _ error: SystemError) -> String {
    switch error.kind {
    case .missing:
      error.code == SystemError.noSuchFile
        ? "there is no folder '" + folder + "' now" : "'" + folder + "' is no folder"
    default: "the folder '" + folder + "' cannot be read: " + error.reason
    }
  }
}

extension NameMatch {
  /// Looks up a name in a media root by a single storage request. Blocks on storage.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - root: The media root.
  ///   - roots: All media roots.
  ///   - media: Access to the storage.
  ///   - mayBeEmpty: Whether an empty root is normal, as for the folder of sticks without a stick.
  package init(
    of name: String, in root: String, within roots: MediaRoots, _ media: any MediaLookup, mayBeEmpty: Bool
  ) {
    let match = media.match(name, in: root, within: roots) ?? .away
    self = match == .away && mayBeEmpty ? .missing(suggestion: nil) : match
  }

  /// Suggestion of the nearest name, without a full stop; nil if there is none.
  static func suggestion(_ name: String, _ found: [NameMatch]) -> String? {
    for lookup in found {
      switch lookup {
      case .alike(let near), .missing(let near?):
        return "there is no '" + name + "'; did you mean '" + near + "'?"
      case .outside: return leadingOut(name)
      case .there, .away, .missing(nil): break
      }
    }
    return nil
  }

  /// Warning about a name, without a full stop.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - found: Results of all media roots.
  ///   - thing: What the name names. Letter case must match, except for music.
  ///   - silent: A root that does not respond.
  ///   - away: A root that is unmounted.
  /// - Returns: The warning; nil if the name exists.
  package static func sentence(
    _ name: String, _ found: [NameMatch], as thing: NamedThing = .music, silent: String?, away: String?
  ) -> String? {
    let isExact = thing != .music
    var suggestion: String?
    for lookup in found {
      switch lookup {
      case .there: return nil
      case .alike(let path):
        guard isExact else { return nil }
        suggestion = suggestion ?? path
      // Devices and certificates are often links, which are followed.
      case .outside where thing == .file: return nil
      case .outside where thing == .sound:
        return "'" + name + "' is a symbolic link out of its folder, which is not followed"
      case .outside: return leadingOut(name)
      case .away: break
      case .missing(let near): suggestion = suggestion ?? near
      }
    }
    if let suggestion { return "there is no '" + name + "' now; did you mean '" + suggestion + "'?" }
    if let silent {
      return "it is not known whether there is a '" + name + "': the storage " + silent + " does not answer"
    }
    if let away {
      return "it is not known whether there is a '" + name + "': the storage " + away + " is away, or empty"
    }
    return "there is no '" + name + "' now" + (thing == .music ? "; 'media' lists them" : "")
  }

  /// Error for a name that is a link out of the music folders, without a full stop.
  private static func leadingOut(_ name: String) -> String {
    "'" + name
      + "' leads out of the music folders by a symbolic link, which is not followed; copy the music there, or add "
      + "the folder that it is in to media.root"
  }

  /// Warning about an absolute path of music outside the media roots, which is never played; nil for other names.
  package static func beyond(_ name: String, _ roots: MediaRoots) -> String? {
    guard name.utf8.first == 0x2F, roots.root(of: name) == nil else { return nil }
    return "'" + name + "' is outside the music folders, so it is not played; 'show media' lists them"
  }
}
