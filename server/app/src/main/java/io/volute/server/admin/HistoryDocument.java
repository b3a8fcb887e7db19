package io.volute.server.admin;

import io.volute.adminapi.CubesApi;
import io.volute.adminapi.HistoryApi;
import io.volute.adminapi.Words;
import io.volute.versioning.History;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.BucketSize;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Place;
import io.volute.versioning.History.Step;
import io.volute.versioning.value.Caller.Parent;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;

/** The past of keys, as the admin API answers it. */
final class HistoryDocument {
    private HistoryDocument() {}

    /**
     * @param shown returns an actor with the details that the caller may see
     */
    static HistoryApi.State state(KeyState state, UnaryOperator<ActorVersion> shown) {
        return new HistoryApi.State(
                state.key().value(),
                state.versionId(),
                state.stateId(),
                state.causalVersion(),
                state.deleteMarker(),
                state.visible(),
                state.began(),
                state.written(),
                state.ended(),
                state.bytes(),
                state.etag(),
                state.actor().map(shown).map(HistoryDocument::actor));
    }

    static CubesApi.Size size(BucketSize size) {
        return new CubesApi.Size(
                size.objects(),
                size.bytes(),
                size.versions(),
                size.versionBytes(),
                size.kept().states(),
                size.kept().bytes());
    }

    static HistoryApi.Actor actor(ActorInfo actor) {
        return actor(actor, OptionalLong.empty());
    }

    private static HistoryApi.Actor actor(ActorVersion actor) {
        return actor(actor.actor(), OptionalLong.of(actor.version()));
    }

    private static HistoryApi.Actor actor(ActorInfo actor, OptionalLong version) {
        return new HistoryApi.Actor(
                actor.id(),
                actor.principal(),
                actor.accessKey(),
                actor.parent().map(Parent::accessKey),
                actor.parent().map(Parent::principal),
                actor.name(),
                Words.of(actor.called().kind()),
                actor.called().address(),
                actor.began(),
                version);
    }

    static HistoryApi.Activity activity(Activity activity) {
        return new HistoryApi.Activity(
                activity.at(),
                Words.of(activity.action()),
                activity.bucket(),
                activity.key().value(),
                activity.causalVersion(),
                actor(activity.actor()),
                activity.source().map(HistoryDocument::place));
    }

    private static HistoryApi.Place place(Place place) {
        return new HistoryApi.Place(place.bucket(), place.key().value(), place.causalVersion());
    }

    /**
     * @param shown returns an actor with the details that the caller may see
     */
    static HistoryApi.Step step(Step step, UnaryOperator<ActorVersion> shown) {
        return new HistoryApi.Step(
                step.at(),
                Words.of(step.action()),
                node(step.node(), shown),
                node(step.through(), shown));
    }

    private static HistoryApi.Node node(Node node, UnaryOperator<ActorVersion> shown) {
        return switch (node) {
            case Node.OfActor actor ->
                    new HistoryApi.Node(
                            Optional.of(actor(shown.apply(actor.actor()))), Optional.empty());
            case Node.OfObject object ->
                    new HistoryApi.Node(Optional.empty(), Optional.of(place(object.place())));
            case Node.Closed closed -> new HistoryApi.Node(Optional.empty(), Optional.empty());
        };
    }

    static HistoryApi.Kept kept(String bucket, History.Kept kept) {
        return new HistoryApi.Kept(bucket, kept.states(), kept.bytes());
    }
}
