package io.volute.server.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.volute.server.auth.policy.ApplicablePolicies.Standing;
import io.volute.server.auth.policy.Authorizer.Decision;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Policies of any text: each is refused as malformed or decides, for many requests as for each, and
 * in a bounded number of steps.
 *
 * <p>{@code JAZZER_FUZZ=1 mvn -pl server -am test -Dtest=PolicyFuzz
 * -Dsurefire.failIfNoSpecifiedTests=false} searches on.
 */
class PolicyFuzz {
    private static final Principal ALICE = new Principal(Principal.Kind.USER, "alice", "", "/");
    private static final String RESOURCE = "arn:aws:s3:::b/a/key";
    private static final ConditionKeys KEYS =
            key ->
                    switch (key) {
                        case "aws:username" -> List.of("alice");
                        case "aws:sourceip" -> List.of("192.0.2.1");
                        case "aws:useragent" -> List.of("a".repeat(300));
                        case "s3:existingobjecttag/a" -> List.of("b");
                        case "aws:currenttime" -> List.of("2026-11-21T10:00:00Z");
                        default -> List.of();
                    };

    static Stream<byte[]> seeds() {
        return Stream.of(
                        "{'Statement':{'Effect':'Allow','Action':'s3:*','Resource':'*'}}",
                        "{'Version':'2012-10-17','Statement':[{'Sid':'1','Effect':'Deny',"
                                + "'NotAction':['s3:Get*'],'NotResource':'arn:aws:s3:::b/"
                                + "${aws:username, 'x'}/*','Condition':{'StringLike':"
                                + "{'aws:UserAgent':['*?aaaaaaaaaaaaaab*','*aaaaaaaaaab*']}}}]}",
                        "{'Statement':{'Effect':'Allow','Principal':'*','Action':'s3:GetObject',"
                                + "'Resource':'arn:aws:s3:::b/*','Condition':{'IpAddress':"
                                + "{'aws:SourceIp':['10.0.0.0/8','2001:db8::/32']}}}}",
                        "{'Statement':{'Effect':'Allow','Principal':{'AWS':['000000000000',"
                                + "'arn:aws:iam:::user/alice']},'Action':'sts:AssumeRole'}}",
                        "{'Statement':{'Effect':'Deny','Action':'*','Resource':'*','Condition':"
                                + "{'ForAllValues:StringNotEqualsIfExists':"
                                + "{'s3:ExistingObjectTag/a':"
                                + "'b'},'Null':{'aws:x':'true'},'DateLessThan':{'aws:CurrentTime':"
                                + "'2026-01-01'},'NumericEquals':{'s3:max-keys':10}}}}",
                        "{'Statement':[]}",
                        "{'Statement':{'Effect':'\\ud800'}}",
                        "[")
                .map(text -> text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    @MethodSource("seeds")
    @FuzzTest(maxDuration = "60s")
    void policies(byte[] data) {
        String document = new String(data, StandardCharsets.UTF_8);
        Optional<Policy> identity = read(document, Policy::ofIdentity);
        Optional<Policy> bucket = read(document, text -> Policy.ofBucket(text, "b"));
        Optional<Policy> trust = read(document, Policy::ofTrust);
        trust.ifPresent(policy -> assertThat(policy.heapBytes()).isPositive());
        for (String action : List.of("s3:GetObject", "s3:DeleteObject", "volute:Check")) {
            ApplicablePolicies grounds =
                    new ApplicablePolicies(
                            Standing.NOTHING,
                            identity.stream().toList(),
                            bucket,
                            identity.filter(policy -> data.length % 2 == 0));
            assertDecides(grounds, action);
        }
    }

    private static Optional<Policy> read(String document, Function<String, Policy> reading) {
        try {
            Policy policy = reading.apply(document);
            assertThat(policy.heapBytes()).isPositive();
            assertThat(policy.isPublic()).isIn(true, false);
            return Optional.of(policy);
        } catch (MalformedPolicyException e) {
            assertThat(e.getMessage()).isNotBlank();
            return Optional.empty();
        }
    }

    private static void assertDecides(ApplicablePolicies grounds, String action) {
        RequestSet set =
                new RequestSet(
                        ALICE,
                        List.of(action),
                        "arn:aws:s3:::b/",
                        true,
                        KEYS,
                        key -> key.startsWith("s3:existing"),
                        new MatchingBudget());
        Decision one = Authorizer.decide(new AccessRequest(ALICE, action, RESOURCE, KEYS), grounds);
        ApplicablePolicies narrowed = grounds.within(set);
        assertThat(Authorizer.decide(new AccessRequest(ALICE, action, RESOURCE, KEYS), narrowed))
                .isEqualTo(one);
        assertThat(narrowed.mayAllow(set) || one == Decision.DENY).isTrue();
    }
}
