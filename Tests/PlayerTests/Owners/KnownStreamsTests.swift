// The meaning of a stream's failure before and after its first sound. Test threads.

import PlaybackModel
import Testing

@testable import Player

@Suite struct KnownStreamsTests {
  private let station = Track(id: 1, path: "http://radio.example/live")
  private var podcast: Track { Track(id: 2, path: "http://radio.example/1.mp3", length: Frames(48_000)) }

  private func kind(_ streams: KnownStreams, _ kind: PlaybackError.Kind, of track: Track)
    -> PlaybackError.Kind
  {
    let error = streams.explained(PlaybackError(kind, path: track.path, detail: "Why."), track)
    #expect(error.detail == "Why." && error.path == track.path)
    return error.kind
  }

  /// Only a stream that has never played fails permanently.
  @Test func wrongContentOfAKnownStreamMayPass() {
    var streams = KnownStreams()
    for kind in PlaybackError.Kind.allCases { #expect(self.kind(streams, kind, of: station) == kind) }
    streams.note(station)
    for kind in PlaybackError.Kind.allCases {
      let mayPass = [.unsupportedFormat, .refused, .corrupt, .protected].contains(kind)
      #expect(self.kind(streams, kind, of: station) == (mayPass ? .network : kind))
      #expect(self.kind(streams, kind, of: podcast) == kind, "another address")
    }
    // Another entry of the queue with the same address.
    #expect(kind(streams, .refused, of: Track(id: 9, path: station.path)) == .network)
    streams.note(podcast)
    #expect(kind(streams, .refused, of: podcast) == .network)
    #expect(kind(streams, .corrupt, of: podcast) == .corrupt, "a file that is damaged stays so")
    // The length of a file without a frame count is unknown, but its size is not.
    let error = PlaybackError(.corrupt, path: station.path)
    #expect(streams.explained(error, station, isFile: true).kind == .corrupt)
    #expect(streams.explained(error, station, isFile: false).kind == .network)
  }

  @Test func filesAreNoStreamsAndTheirNumberIsBounded() {
    var streams = KnownStreams()
    let file = Track(id: 1, path: "/music/a.flac")
    streams.note(file)
    #expect(kind(streams, .unsupportedFormat, of: file) == .unsupportedFormat)
    streams.note(station)
    for number in 0..<KnownStreams.maxCount {
      streams.note(Track(id: 1, path: "http://radio.example/\(number)"))
    }
    #expect(kind(streams, .refused, of: station) == .refused)
  }
}
