/// Support for an application that keeps its position itself. For another module of this package.
package enum PlaceKeeping {
    /// Sends `live` again for each answer that advances the device's position, from now on.
    package static func begin(_ client: isolated ChatClient) { client.session.feed.tellsPlaces = true }

    /// Gives up the connection, if there is one, and begins another: what came on it doesn't count.
    package static func restart(_ client: isolated ChatClient, because reason: String) {
        client.session.restart(because: reason)
    }
}
