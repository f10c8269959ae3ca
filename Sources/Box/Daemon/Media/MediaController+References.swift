// Checks stored names of music against the media roots, and suggests similar names. Control thread, except where
// stated.

import Console
import Decoding
import Media
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

  /// Checks whether names of music exist.
  ///
  /// - Parameters:
  ///   - names: The names.
  ///   - isExact: Whether letter case must match.
  ///   - then: Receives a sentence without a full stop for each name that does not exist or whose storage is unmounted.
  func check(_ names: [String], isExact: Bool, then: @escaping (_ warnings: [String]) -> Void) {
    check(names[...], isExact, [], then: then)
  }

  private func check(
    _ names: ArraySlice<String>, _ isExact: Bool, _ warnings: [String], then: @escaping ([String]) -> Void
  ) {
    guard let name = names.first else { return then(warnings) }
    check(name, isExact) { [unowned(unsafe) self] warning in
      check(names.dropFirst(), isExact, warnings + (warning.map { [$0] } ?? []), then: then)
    }
  }

  private func check(_ name: String, _ isExact: Bool, then: @escaping (String?) -> Void) {
    if MediaList.isStream(name) || name == "." { return then(nil) }
    if let saved = PlaylistName(path: name) {
      return playlist(saved) { lookup in
        if case .refused(let error) = lookup { then(error.sentence) } else { then(nil) }
      }
    }
    let (media, places) = (media, configuration.roots.covering(name))
    let roots = places.candidates(for: name)
    let sticks = configuration.settings.removableFolder
    RootSearch(
      roots, in: readers, scheduler, wantsAll: true,
      { root in NameMatch(of: name, in: root, within: places, media, mayBeEmpty: root == sticks) }
    ) { (search: RootSearch<NameMatch>) in
      then(
        NameMatch.sentence(
          name, search.found, isExact: isExact, silent: search.silentRoots.first,
          away: search.root { $0 == .away }))
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
  ///   - isExact: Whether letter case must match.
  ///   - silent: A root that does not respond.
  ///   - away: A root that is unmounted.
  /// - Returns: The warning; nil if the name exists.
  package static func sentence(
    _ name: String, _ found: [NameMatch], isExact: Bool = false, silent: String?, away: String?
  )
    -> String?
  {
    var suggestion: String?
    for lookup in found {
      switch lookup {
      case .there: return nil
      case .alike(let path):
        guard isExact else { return nil }
        suggestion = suggestion ?? path
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
    return "there is no '" + name + "' now; 'media' lists them"
  }
}
