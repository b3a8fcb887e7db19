package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.auth.sigv4.RequestSigner;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may look at the past and put it back: users whom a policy allows just that, no others. */
class AdminAccessTest extends AdminTestCase {
    /** As policies call them, which is a promise to those who have written some. */
    private static final Map<AdminRoute, String> ACTIONS =
            Map.ofEntries(
                    Map.entry(AdminRoute.HISTORY, "volute:History"),
                    Map.entry(AdminRoute.ACTORS, "volute:Actors"),
                    Map.entry(AdminRoute.ACTIVITY, "volute:Activity"),
                    Map.entry(AdminRoute.TRACE, "volute:Trace"),
                    Map.entry(AdminRoute.POLICY, "volute:Policy"),
                    Map.entry(AdminRoute.SET_POLICY, "volute:SetPolicy"),
                    Map.entry(AdminRoute.USAGE, "volute:Usage"),
                    Map.entry(AdminRoute.PURGE, "volute:Purge"),
                    Map.entry(AdminRoute.PLAN_RESTORE, "volute:PlanRestore"),
                    Map.entry(AdminRoute.START_RESTORE, "volute:StartRestore"),
                    Map.entry(AdminRoute.RESTORES, "volute:Restores"),
                    Map.entry(AdminRoute.CANCEL_RESTORE, "volute:CancelRestore"));

    private RequestSigner carol = AdminTestBed.ALICE;

    @BeforeEach
    void aUser() throws IOException {
        AdminExamples.fill(bed);
        assertThat(bed.post("/_volute/v1/users", Map.of("name", "carol")).status()).isEqualTo(200);
        Map<String, Object> key = bed.post("/_volute/v1/keys", Map.of("user", "carol")).document();
        carol =
                new RequestSigner(
                        key.get("accessKey").toString(),
                        key.get("secretKey").toString(),
                        "us-east-1");
    }

    private static Map<String, Object> statement(
            String effect, Collection<String> actions, String resource) {
        return Map.of("Effect", effect, "Action", List.copyOf(actions), "Resource", resource);
    }

    /** These and nothing else are carol's rights from now on. */
    private void give(List<Map<String, Object>> statements) throws IOException {
        Map<String, Object> policy =
                Map.of("user", "carol", "policy", "p", "document", Map.of("Statement", statements));
        assertThat(bed.put("/_volute/v1/policies/inline", policy).status()).isEqualTo(200);
    }

    private void allow(Collection<String> actions) throws IOException {
        give(List.of(statement("Allow", actions, "*")));
    }

    /** That she may ask these, all others are refused, and the refused do nothing. */
    private void assertAllowed(Set<AdminRoute> allowed) throws IOException {
        Map<AdminRoute, Map<String, Object>> examples = AdminExamples.asked();
        for (AdminRoute route : AdminRoute.values()) {
            if (!allowed.contains(route)) {
                bed.history.asked.clear();
                bed.restore.asked.clear();
                Answer refused = bed.ask(carol, route, examples.getOrDefault(route, Map.of()));
                assertThat(refused.status()).as(route.name()).isEqualTo(403);
                assertThat(refused.code()).isEqualTo("AccessDenied");
                assertThat(bed.history.asked).isEmpty();
                assertThat(bed.restore.asked).isEmpty();
            }
        }
        for (Map.Entry<AdminRoute, Map<String, Object>> example : examples.entrySet()) {
            if (allowed.contains(example.getKey())) {
                Answer answer = bed.ask(carol, example.getKey(), example.getValue());
                assertThat(answer.status())
                        .as("%s: %s", example.getKey(), answer)
                        .isEqualTo(example.getKey().status());
            }
        }
    }

    @Test
    void theExamplesAreAllOfIt() {
        assertThat(AdminExamples.asked().keySet()).isEqualTo(ACTIONS.keySet());
    }

    @Test
    void whoHasNoPolicyMayAskNothing() throws IOException {
        assertAllowed(Set.of());
    }

    @Test
    void whoIsAllowedAllOfItMayAskThatAndNothingElse() throws IOException {
        allow(ACTIONS.values());
        assertAllowed(ACTIONS.keySet());
    }

    @Test
    void eachIsAllowedByItsOwnName() throws IOException {
        for (Map.Entry<AdminRoute, String> each : ACTIONS.entrySet()) {
            allow(Set.of(each.getValue()));
            assertAllowed(Set.of(each.getKey()));
        }
    }

    @Test
    void whatIsDeniedIsNotAllowedByAnything() throws IOException {
        give(
                List.of(
                        statement("Allow", Set.of("volute:*"), "*"),
                        statement("Deny", ACTIONS.values(), "*")));
        for (AdminRoute route : ACTIONS.keySet()) {
            Answer refused = bed.ask(carol, route, AdminExamples.asked().get(route));
            assertThat(refused.code()).as(route.name()).isEqualTo("AccessDenied");
        }
        assertThat(bed.ask(carol, AdminRoute.SPACE, Map.of()).status()).isEqualTo(200);
    }

    @Test
    void rightsToBucketsAreNoneToThePast() throws IOException {
        give(
                List.of(
                        statement("Allow", Set.of("s3:*"), "*"),
                        statement("Allow", Set.of("volute:*"), "arn:aws:s3:::*")));
        assertAllowed(Set.of());
    }
}
