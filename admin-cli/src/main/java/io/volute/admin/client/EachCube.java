package io.volute.admin.client;

import io.volute.admin.client.AdminClient.RefusedException;
import io.volute.adminapi.CubesApi.CubeInfo;
import io.volute.adminapi.Routes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sends a request for all cubes; if these are on several nodes, one for each cube. */
public final class EachCube {
    private EachCube() {}

    /** A request. */
    @FunctionalInterface
    public interface Request<T> {
        /**
         * @param cube empty for all cubes
         */
        T of(Optional<String> cube) throws IOException, InterruptedException;
    }

    /** Returns the answer for all cubes, or that for each cube, the system cube first. */
    public static <T> List<T> ask(AdminClient client, Request<T> request)
            throws IOException, InterruptedException {
        try {
            return List.of(request.of(Optional.empty()));
        } catch (RefusedException e) {
            if (!e.isOf("CubesElsewhere")) {
                throw e;
            }
        }
        List<CubeInfo> cubes = client.ask(Routes.LIST_CUBES).value().cubes();
        List<T> answers = new ArrayList<>();
        for (CubeInfo each : cubes) {
            answers.add(request.of(Optional.of(each.cube())));
        }
        return answers;
    }
}
