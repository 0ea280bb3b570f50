import RoostWire

/// Applies changes whose event was stored, and answers sessions that waited for a conversation.
extension ConversationCommands {
    /// Applies a stored change and tells everyone concerned, including removed members.
    func apply(
        _ change: ConversationChange?, _ event: StoredEvent, to conversation: Conversation, except origin: Session?
    ) {
        switch change {
        case .create(_, _, _, let members), .add(let members):
            directory.admit(members, to: conversation, at: event.position, delivery.settle())
            tell(event, to: conversation, except: origin)
            if let pair = conversation.pair { presence.introduce(pair) }
        case .rename(let name):
            conversation.rename(name)
            tell(event, to: conversation, except: origin)
        case .remove(let users):
            tell(event, to: conversation, except: origin)
            end(directory.dismiss(users, from: conversation, at: event.position, delivery.settle()))
        case .leave(let user, let heir):
            tell(event, to: conversation, except: origin)
            if let heir { directory.setRoles([NewMember(heir, .owner)], in: conversation) }
            end(directory.dismiss([user], from: conversation, at: event.position, delivery.settle()))
        case .erase:
            tell(event, to: conversation, except: origin)
            end(directory.erase(conversation, at: event.position, delivery.settle()))
        case .roles(let changes):
            directory.setRoles(changes, in: conversation)
            tell(event, to: conversation, except: origin)
        case nil:
            tell(event, to: conversation, except: origin)
        }
    }

    private func tell(_ event: StoredEvent, to conversation: Conversation, except origin: Session?) {
        delivery.gather(
            event, from: directory.user(event.sender), in: conversation, except: origin, answering: nil)
    }

    /// Ends everything that depended on these memberships.
    private func end(_ memberships: [Member]) {
        for member in memberships {
            typing.stop(member)
            presence.endWatches(of: member.user)
        }
    }

    // MARK: Askers

    /// Answers the sessions that asked for a conversation while it was being created.
    func answerAskers(of conversation: Conversation, _ position: Position, _ time: Timestamp) {
        for asker in conversation.takeAskers() {
            let created = Created(
                conversation: conversation.number, position: position, time: time, isDuplicate: true)
            queries.answerCreated(created, to: asker.session, asker.id)
        }
    }

    /// Refuses them: the conversation could not be created.
    func refuseAskers(of conversation: Conversation, _ refusal: Refusal) {
        for asker in conversation.takeAskers() {
            var refusal = refusal
            refusal.id = asker.id
            replies.refuse(refusal, asker.session)
        }
    }
}
