package io.volute.server.admin;

import io.volute.adminapi.RestoreApi;
import io.volute.versioning.Restore;
import io.volute.versioning.Restore.Run;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.util.function.Function;

/** The routes that plan, start and show restores. Thread-safe. */
final class RestoreRoutes {
    static final String REQUEST = "request";

    private final Restore restore;

    RestoreRoutes(Restore restore) {
        this.restore = restore;
    }

    RestoreApi.Plan plan(Caller caller, Arguments asked) throws IOException {
        return RestoreDocument.plan(
                restore.plan(
                        caller,
                        RestoreDocument.request(asked.neededObject(REQUEST)),
                        asked.from(),
                        asked.max()));
    }

    RestoreApi.Run start(Caller caller, Arguments asked) throws IOException {
        return RestoreDocument.run(
                restore.start(caller, RestoreDocument.request(asked.neededObject(REQUEST))));
    }

    /** Returns the restore with the given id. */
    RestoreApi.Run run(Arguments asked) {
        return found(asked.neededText("id"), restore::run);
    }

    /** Returns all restores. */
    RestoreApi.Runs runs() {
        return new RestoreApi.Runs(restore.runs().stream().map(RestoreDocument::run).toList());
    }

    RestoreApi.Run cancel(Arguments asked) {
        return found(asked.neededText("id"), restore::cancel);
    }

    private static RestoreApi.Run found(String id, Function<String, Run> question) {
        try {
            return RestoreDocument.run(question.apply(id));
        } catch (StoreException e) {
            if (e.reason() != Reason.INVALID_ARGUMENT) {
                throw e;
            }
            throw new AdminException(
                    404,
                    "NoSuchRestore",
                    "no restore \"" + id + "\": GET /_volute/v1/restore lists all");
        }
    }
}
