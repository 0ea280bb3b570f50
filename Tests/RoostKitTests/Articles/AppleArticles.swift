// The articles' code for Apple's frameworks: parsed everywhere, compiled where these exist.

import RoostClient
import RoostKit
import RoostStore
import RoostWire

#if canImport(SwiftUI)
    import SwiftUI

    // article
    struct ListView: View {
        let nest: Nest

        var body: some View {
            List(nest.lines) { line in
                NavigationLink(value: line.id) {
                    VStack(alignment: .leading) {
                        Text(line.title).bold()
                        Text(line.preview).foregroundStyle(.secondary)
                    }
                }
                .badge(line.unread)
            }
            .safeAreaInset(edge: .top) {
                if let banner = nest.banner { Text(banner) }
            }
        }
    }
    // end

    // article
    struct ChatView: View {
        @Bindable var screen: ChatScreen

        var body: some View {
            ScrollView {
                LazyVStack {
                    ForEach(screen.timeline.items) { item in
                        row(item).onAppear { screen.timeline.appeared(item.id) }
                    }
                }
            }
            .defaultScrollAnchor(.bottom)
            .safeAreaInset(edge: .bottom) {
                VStack {
                    Text(screen.typingLine)
                    TextField("Message", text: $screen.timeline.draft)
                        .onSubmit { Task { await screen.send(screen.timeline.draft) } }
                }
            }
        }

        @ViewBuilder
        private func row(_ item: TimelineItem) -> some View {
            switch item {
            case .message(let message):
                VStack(alignment: message.isOwn ? .trailing : .leading) {
                    Text(message.text ?? "")
                    Text(screen.label(of: message)).font(.caption)
                }
                .onTapGesture { Task { await screen.tapped(message) } }
            case .gap: ProgressView()
            }
        }
    }
    // end

    // article
    struct PhaseModifier: ViewModifier {
        @Environment(\.scenePhase) private var phase
        let roost: Roost

        func body(content: Content) -> some View {
            content.onChange(of: phase, initial: true) {
                Task {
                    switch phase {
                    case .active:
                        await roost.setActivity(.active)
                        await roost.wake()
                    case .inactive: await roost.setActivity(.idle)
                    default: await roost.setActivity(.background)
                    }
                }
            }
        }
    }
// end
#endif

#if canImport(UIKit)
    import UIKit

    // article
    final class ChatTable: UITableViewController {
        private var reader: Task<Void, Never>?
        private var source: UITableViewDiffableDataSource<Int, TimelineItem.ID>?

        func show(_ timeline: ConversationTimeline) {
            tableView.register(UITableViewCell.self, forCellReuseIdentifier: "row")
            let source = UITableViewDiffableDataSource<Int, TimelineItem.ID>(tableView: tableView) { table, path, id in
                let cell = table.dequeueReusableCell(withIdentifier: "row", for: path)
                cell.textLabel?.text = timeline[id]?.message?.text ?? "…"
                return cell
            }
            self.source = source
            reader = Task {
                for await update in timeline.updates() {
                    var rows = NSDiffableDataSourceSnapshot<Int, TimelineItem.ID>()
                    rows.appendSections([0])
                    rows.appendItems(update.snapshot.items.map(\.id))
                    rows.reconfigureItems(update.changes.updated)
                    await source.apply(rows)
                }
            }
        }

        deinit { reader?.cancel() }
    }
// end
#endif

#if canImport(Combine)
    import Combine

    // article
    @MainActor
    func publisher(of timeline: ConversationTimeline) -> AnyPublisher<TimelineSnapshot, Never> {
        let subject = CurrentValueSubject<TimelineSnapshot, Never>(timeline.snapshot)
        let reader = Task {
            for await now in timeline.snapshots() { subject.send(now) }
        }
        return subject.handleEvents(receiveCancel: { reader.cancel() }).eraseToAnyPublisher()
    }
// end
#endif

#if canImport(Network)
    import RoostClientURLSession

    // article
    func withNetworkPath(_ settings: RoostSettings) -> RoostSettings {
        var settings = settings
        settings.connector = URLSessionConnector()
        settings.network = NetworkPathMonitor()
        return settings
    }
// end
#endif

#if canImport(BackgroundTasks) && canImport(UIKit)
    import BackgroundTasks

    // article
    @MainActor
    func handle(_ task: BGAppRefreshTask, fetch: @escaping @MainActor () async throws -> Int) {
        let work = Task {
            let badge = try? await fetch()
            task.setTaskCompleted(success: badge != nil)
        }
        task.expirationHandler = { work.cancel() }
    }
// end
#endif
