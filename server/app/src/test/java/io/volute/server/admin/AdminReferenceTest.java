package io.volute.server.admin;

import io.volute.adminapi.Described;
import io.volute.adminapi.Failure;
import io.volute.adminapi.Route;
import io.volute.adminapi.Route.Nothing;
import io.volute.adminapi.Routes;
import io.volute.testkit.GeneratedPage;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Renders the pages about the admin API from the routes and their records. */
class AdminReferenceTest {
    private static final List<String> HEADER =
            List.of("Request", "Action", "Takes", "Answers", "Owner", "What it does");

    /** Names of operations that are no action: generated clients have methods of these names. */
    private static final Map<Route<?, ?>, String> OPERATIONS =
            Map.of(Routes.EXPORT, "exportChains", Routes.ROTATE, "rotateKeys");

    // ---- docs/reference/admin-api.md

    @Test
    void theDocumentHasTheRowsOfTheRoutes() throws IOException {
        GeneratedPage.of("docs/reference/admin-api.md")
                .part(
                        "routes",
                        GeneratedPage.table(
                                HEADER,
                                Routes.all().stream().map(AdminReferenceTest::cells).toList()))
                .check();
    }

    private static List<String> cells(Route<?, ?> route) {
        String takes =
                Arrays.stream(route.request().getRecordComponents())
                        .map(each -> isNeeded(each) ? code(each) : "[" + code(each) + "]")
                        .collect(Collectors.joining(", "));
        String answers =
                answers(route).isEmpty()
                        ? "bytes"
                        : answers(route).stream()
                                .map(each -> "`" + Schemas.name(each) + "`")
                                .collect(Collectors.joining(" or "));
        return List.of(
                "`" + route.method() + " " + route.path() + "`",
                "`" + new AdminRoute(route).action() + "`",
                takes,
                answers + (route.status() == 200 ? "" : ", " + route.status()),
                owner(route),
                route.does());
    }

    private static String owner(Route<?, ?> route) {
        String all = route.isOfAllOwners() ? "all" : "store";
        return !route.isInOneCube() ? all : route.isOfAllOwners() ? "cube, or all" : "cube";
    }

    private static String code(RecordComponent field) {
        return "`" + field.getName() + "`";
    }

    private static boolean isNeeded(RecordComponent field) {
        Class<?> type = field.getType();
        return type != Optional.class && type != OptionalLong.class && type != boolean.class;
    }

    /** Returns the records that a route can answer; none if it answers bytes. */
    private static List<Class<?>> answers(Route<?, ?> route) {
        if (route.answer() == Void.class) {
            return List.of();
        }
        Stream<Route<?, ?>> same =
                Stream.of(Routes.RESTORE, route)
                        .filter(each -> each.path().equals(route.path()))
                        .filter(each -> each.method().equals(route.method()));
        return same.map(Route::answer)
                .flatMap(AdminReferenceTest::records)
                .collect(Collectors.toList());
    }

    private static Stream<Class<?>> records(Class<?> answer) {
        return answer.isSealed()
                ? Arrays.stream(answer.getPermittedSubclasses())
                : Stream.of(answer);
    }

    // ---- docs/reference/openapi.yaml

    @Test
    void theDescriptionHasThePathsOfTheRoutes() throws IOException {
        Map<String, StringBuilder> paths = new LinkedHashMap<>();
        for (Route<?, ?> route : Routes.all()) {
            operation(
                    route,
                    paths.computeIfAbsent(
                            route.path(), path -> new StringBuilder("  " + path + ":\n")));
        }
        GeneratedPage.of("docs/reference/openapi.yaml")
                .part("paths", String.join("", paths.values()))
                .part("schemas", schemas())
                .check();
    }

    private static String schemas() {
        Schemas schemas = new Schemas();
        schemas.addRecord(Failure.class, false);
        for (Route<?, ?> route : Routes.all()) {
            if (!route.isGet() && route.request() != Nothing.class) {
                schemas.addRecord(route.request(), true);
            }
            answers(route).forEach(answer -> schemas.addRecord(answer, false));
        }
        return schemas.page();
    }

    private static void operation(Route<?, ?> route, StringBuilder page) {
        String name = route.name().substring(0, 1).toLowerCase(Locale.ROOT);
        page.append("    ").append(route.method().toLowerCase(Locale.ROOT)).append(":\n");
        line(
                page,
                6,
                "operationId",
                OPERATIONS.getOrDefault(route, name + route.name().substring(1)));
        line(page, 6, "summary", Schemas.quoted(route.does()));
        route.details().ifPresent(text -> line(page, 6, "description", Schemas.quoted(text)));
        RecordComponent[] fields = route.request().getRecordComponents();
        if (route.isGet() && fields.length > 0) {
            page.append("      parameters:\n");
            for (RecordComponent each : fields) {
                page.append("        - ").append(parameter(each)).append('\n');
            }
        } else if (!route.isGet() && route.request() != Nothing.class) {
            page.append("      requestBody:\n");
            line(page, 8, "required", "" + Arrays.stream(fields).anyMatch(each -> isNeeded(each)));
            content(page, 8, List.of(route.request()));
        }
        page.append("      responses:\n        '").append(route.status()).append("':\n");
        line(
                page,
                10,
                "description",
                route.status() == 200 ? "the answer" : "the work has begun, and goes on");
        content(page, 10, answers(route));
        page.append("        default:\n          $ref: '#/components/responses/Error'\n");
    }

    private static void line(StringBuilder page, int indent, String name, String value) {
        page.repeat(' ', indent).append(name).append(": ").append(value).append('\n');
    }

    /**
     * @param records the possible ones; none for bytes
     */
    private static void content(StringBuilder page, int indent, List<? extends Class<?>> records) {
        page.repeat(' ', indent).append("content:\n");
        if (records.isEmpty()) {
            line(page, indent + 2, "application/octet-stream", "{}");
            return;
        }
        List<String> schemas = records.stream().map(Schemas::reference).toList();
        page.repeat(' ', indent + 2).append("application/json:\n");
        line(
                page,
                indent + 4,
                "schema",
                schemas.size() == 1
                        ? schemas.getFirst()
                        : "{ oneOf: [" + String.join(", ", schemas) + "] }");
    }

    private static String parameter(RecordComponent field) {
        return "{ name: "
                + field.getName()
                + ", in: query, required: "
                + isNeeded(field)
                + ", schema: "
                + Schemas.of(field, false)
                + meaning(field)
                + " }";
    }

    private static String meaning(RecordComponent field) {
        Described described = field.getAnnotation(Described.class);
        return described == null || described.value().isEmpty()
                ? ""
                : ", description: " + Schemas.quoted(described.value());
    }
}
