package io.volute.server.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The engine against {@link ReferenceDecision} on random cases: {@code -Dpolicy.cases=1000000
 * -Dpolicy.seed=...}.
 */
class PolicyModelTest {
    private static final long CASES = Long.getLong("policy.cases", 50_000);
    private static final long SEED = Long.getLong("policy.seed", 20_261_121);

    @Test
    @Tag("slow")
    void decidesAsTheReferenceDoes() {
        PolicyCases cases = new PolicyCases(SEED);
        long allowed = 0;
        for (long i = 0; i < CASES; i++) {
            PolicyCases.Case each = cases.next();
            boolean expected =
                    new ReferenceDecision(each.who(), each.action(), each.resource(), each.keys())
                            .allowed(
                                    each.standing(),
                                    each.identity(),
                                    each.boundary(),
                                    each.bucket(),
                                    each.session());
            assertThat(engine(each)).as("seed %d, case %d: %s", SEED, i, each).isEqualTo(expected);
            allowed += expected ? 1 : 0;
        }
        // Of cases that all end alike nothing is learnt.
        assertThat(allowed).isBetween(CASES / 5, CASES * 4 / 5);
    }

    /** One decision for a set of requests equals the decision for each of them. */
    @Test
    @Tag("slow")
    void decidesForManyAsForEach() {
        PolicyCases cases = new PolicyCases(SEED + 2);
        long refused = 0;
        for (long i = 0; i < CASES; i++) {
            PolicyCases.Case each = cases.next();
            Set<String> open = Set.of("s3:prefix", "s3:requestobjecttagkeys");
            String bucket = "arn:aws:s3:::b/";
            boolean isInside = each.resource().startsWith(bucket);
            RequestSet set =
                    new RequestSet(
                            each.who(),
                            List.of(each.action()),
                            isInside && i % 2 == 0 ? bucket : each.resource(),
                            isInside && i % 2 == 0,
                            key -> {
                                assertThat(open).doesNotContain(key);
                                return each.keys().getOrDefault(key, List.of());
                            },
                            open::contains,
                            new MatchingBudget());
            ApplicablePolicies narrowed = grounds(each).within(set.with(List.of("s3:ListBucket")));
            boolean isAllowed = engine(each);
            assertThat(Authorizer.decide(request(each), narrowed) == Decision.ALLOW)
                    .as("seed %d, case %d: %s", SEED + 2, i, each)
                    .isEqualTo(isAllowed);
            boolean may = narrowed.mayAllow(set);
            assertThat(may || !isAllowed).as("seed %d, case %d: %s", SEED + 2, i, each).isTrue();
            refused += may ? 0 : 1;
        }
        assertThat(refused).isGreaterThan(CASES / 10);
    }

    @Test
    @Tag("slow")
    void addingADenyNeverAllows() {
        PolicyCases cases = new PolicyCases(SEED + 1);
        long taken = 0;
        for (long i = 0; i < CASES / 5; i++) {
            PolicyCases.Case before = cases.next();
            boolean wasAllowed = engine(before);
            for (PolicyCases.Case after : withDeny(before, cases)) {
                boolean isAllowed = engine(after);
                assertThat(isAllowed && !wasAllowed)
                        .as("seed %d, case %d: %s", SEED + 1, i, after)
                        .isFalse();
                taken += wasAllowed && !isAllowed ? 1 : 0;
            }
        }
        assertThat(taken).isPositive();
    }

    /** Returns the case with one more statement, once for each of its policies. */
    private static List<PolicyCases.Case> withDeny(PolicyCases.Case c, PolicyCases cases) {
        List<Map<String, Object>> identity = new ArrayList<>();
        c.identity().forEach(policy -> identity.add(with(policy, cases.deny(false))));
        return List.of(
                changed(c, identity, c.boundary(), c.bucket(), c.session()),
                changed(
                        c,
                        c.identity(),
                        c.boundary().map(p -> with(p, cases.deny(false))),
                        c.bucket(),
                        c.session()),
                changed(
                        c,
                        c.identity(),
                        c.boundary(),
                        c.bucket().map(p -> with(p, cases.deny(true))),
                        c.session()),
                changed(
                        c,
                        c.identity(),
                        c.boundary(),
                        c.bucket(),
                        c.session().map(p -> with(p, cases.deny(false)))));
    }

    private static PolicyCases.Case changed(
            PolicyCases.Case c,
            List<Map<String, Object>> identity,
            Optional<Map<String, Object>> boundary,
            Optional<Map<String, Object>> bucket,
            Optional<Map<String, Object>> session) {
        return new PolicyCases.Case(
                c.who(),
                c.action(),
                c.resource(),
                c.keys(),
                c.standing(),
                identity,
                boundary,
                bucket,
                session);
    }

    private static Map<String, Object> with(Map<String, Object> policy, Object statement) {
        List<Object> statements = new ArrayList<>();
        if (policy.get("Statement") instanceof List<?> several) {
            statements.addAll(several);
        } else {
            statements.add(policy.get("Statement"));
        }
        statements.add(statement);
        Map<String, Object> longer = new LinkedHashMap<>(policy);
        longer.put("Statement", statements);
        return longer;
    }

    private static boolean engine(PolicyCases.Case c) {
        return Authorizer.decide(request(c), grounds(c)) == Decision.ALLOW;
    }

    private static AccessRequest request(PolicyCases.Case c) {
        return new AccessRequest(
                c.who(), c.action(), c.resource(), key -> c.keys().getOrDefault(key, List.of()));
    }

    private static ApplicablePolicies grounds(PolicyCases.Case c) {
        return new ApplicablePolicies(
                c.standing(),
                c.identity().stream().map(p -> Policy.ofIdentity(text(p))).toList(),
                c.boundary().map(p -> Policy.ofIdentity(text(p))),
                c.bucket().map(p -> Policy.ofBucket(text(p), "b")),
                c.session().map(p -> Policy.ofIdentity(text(p))),
                ApplicablePolicies.AclVerdict.SILENT);
    }

    private static String text(Map<String, Object> policy) {
        return new String(Json.write(policy), StandardCharsets.UTF_8);
    }
}
