package io.volute.server.admin;

import io.volute.versioning.History;
import io.volute.versioning.History.Activity;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.History.ActorVersion;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Place;
import io.volute.versioning.History.Step;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** The history as JSON. Schemas: docs/reference/openapi.yaml, by the names of the records. */
final class HistoryDocument {
    private HistoryDocument() {}

    /** A constant's name as documents write it. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Constants by that. */
    @SafeVarargs
    static <E extends Enum<E>> Map<String, E> words(E... constants) {
        Map<String, E> words = new TreeMap<>();
        for (E each : constants) {
            words.put(word(each), each);
        }
        return words;
    }

    static <T> Map<String, Object> page(
            String name, Page<T> page, Function<T, Map<String, Object>> entry) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put(name, page.entries().stream().map(entry).toList());
        page.next().ifPresent(next -> document.put("next", next));
        return document;
    }

    static Map<String, Object> state(KeyState state) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("key", state.key().value());
        document.put("versionId", state.versionId());
        document.put("stateId", state.stateId());
        document.put("causalVersion", state.causalVersion());
        document.put("deleteMarker", state.deleteMarker());
        document.put("visible", state.visible());
        document.put("began", state.began());
        document.put("written", state.written());
        state.ended().ifPresent(ended -> document.put("ended", ended));
        document.put("bytes", state.bytes());
        document.put("etag", state.etag());
        state.actor().ifPresent(actor -> document.put("actor", actor(actor)));
        return document;
    }

    static Map<String, Object> actor(ActorInfo actor) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("id", actor.id());
        document.put("principal", actor.principal());
        document.put("accessKey", actor.accessKey());
        actor.parent()
                .ifPresent(
                        parent -> {
                            document.put("parentAccessKey", parent.accessKey());
                            document.put("parentPrincipal", parent.principal());
                        });
        document.put("name", actor.name());
        document.put("naming", word(actor.called().kind()));
        document.put("address", actor.called().address());
        document.put("began", actor.began());
        return document;
    }

    private static Map<String, Object> actor(ActorVersion actor) {
        Map<String, Object> document = actor(actor.actor());
        document.put("version", actor.version());
        return document;
    }

    static Map<String, Object> activity(Activity activity) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("at", activity.at());
        document.put("action", word(activity.action()));
        document.put("bucket", activity.bucket());
        document.put("key", activity.key().value());
        document.put("causalVersion", activity.causalVersion());
        document.put("actor", actor(activity.actor()));
        activity.source().ifPresent(source -> document.put("source", place(source)));
        return document;
    }

    private static Map<String, Object> place(Place place) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bucket", place.bucket());
        document.put("key", place.key().value());
        document.put("causalVersion", place.causalVersion());
        return document;
    }

    static Map<String, Object> step(Step step) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("at", step.at());
        document.put("action", word(step.action()));
        document.put("node", node(step.node()));
        document.put("through", node(step.through()));
        return document;
    }

    private static Map<String, Object> node(Node node) {
        return switch (node) {
            case Node.OfActor actor -> Map.of("actor", actor(actor.actor()));
            case Node.OfObject object -> Map.of("object", place(object.place()));
        };
    }

    static Map<String, Object> kept(String bucket, History.Kept kept) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("bucket", bucket);
        document.put("states", kept.states());
        document.put("bytes", kept.bytes());
        return document;
    }
}
