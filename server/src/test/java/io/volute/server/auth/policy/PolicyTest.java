package io.volute.server.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.auth.policy.ApplicablePolicies.Standing;
import io.volute.server.auth.policy.Authorizer.Decision;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the meaning of policies, and the refusals of invalid ones. */
class PolicyTest {
    private static final Principal ALICE = new Principal(Principal.Kind.USER, "alice", "", "/");

    /** Single quotes for double ones. */
    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private static String allow(String condition) {
        return json(
                "{'Version':'2012-10-17','Statement':{'Effect':'Allow','Action':'s3:GetObject',"
                        + "'Resource':'*','Condition':{"
                        + condition
                        + "}}}");
    }

    private static boolean holds(String condition, Map<String, List<String>> keys) {
        return Policy.ofIdentity(allow(condition))
                .allows(
                        new AccessRequest(
                                ALICE,
                                "s3:GetObject",
                                "arn:aws:s3:::b/k",
                                key -> keys.getOrDefault(key, List.of())));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "[]|not a JSON object",
                "{'Version':'2012-10-17'}|Missing required field Statement",
                "{'Version':'2020-01-01','Statement':[]}|not \"2020-01-01\"",
                "{'Statement':[]}|Statement is an object or a list",
                "{'Statement':{},'Extra':1}|Unknown field Extra",
                "{'Statement':{'Action':'s3:*','Resource':'*'}}|Missing required field Effect",
                "{'Statement':{'Effect':'allow','Action':'s3:*','Resource':'*'}}|Effect is Allow",
                "{'Statement':{'Effect':'Allow','Resource':'*'}}|Missing required field Action",
                "{'Statement':{'Effect':'Allow','Action':'s3:*'}}|Missing required field Resource",
                "{'Statement':{'Effect':'Allow','Action':'ec2:Run','Resource':'*'}}|invalid action",
                "{'Statement':{'Effect':'Allow','Action':'s3:','Resource':'*'}}|invalid action",
                "{'Statement':{'Effect':'Allow','Action':[],'Resource':'*'}}|Action is an empty",
                "{'Statement':{'Effect':'Allow','Action':'s3:*','Resource':'b'}}|invalid resource",
                "{'Statement':{'Effect':'Allow','Action':'s3:*','NotAction':'*','Resource':'*'}}"
                        + "|either Action or NotAction",
                "{'Statement':{'Effect':'Allow','Principal':'*','Action':'*','Resource':'*'}}"
                        + "|names no Principal",
                "{'Statement':{'Effect':'Allow','Effect':'Deny','Action':'*','Resource':'*'}}"
                        + "|Duplicate",
            })
    void whatIsNoPolicyIsRefusedWithTheReason(String document, String reason) {
        assertThatThrownBy(() -> Policy.ofIdentity(json(document)))
                .isInstanceOf(MalformedPolicyException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'StringEqual':{'aws:username':'a'}|unknown condition operator \"StringEqual\"",
                "'ForSome:StringEquals':{'aws:username':'a'}|unknown condition operator",
                "'NullIfExists':{'aws:username':'true'}|unknown condition operator",
                "'NumericEquals':{'s3:max-keys':'ten'}|is no number",
                "'DateEquals':{'aws:CurrentTime':'today'}|is no time",
                "'Bool':{'aws:SecureTransport':'yes'}|is no truth",
                "'IpAddress':{'aws:SourceIp':'10.0.0.0/33'}|is no range of addresses",
                "'IpAddress':{'aws:SourceIp':'example.com'}|is no range of addresses",
                "'StringEquals':{'aws:username':[]}|has no value",
                "'StringEquals':{'aws:username':{}}|no text",
                "'StringEquals':'x'|StringEquals is an object",
                "'StringLike':{'aws:username':'${aws:username'}|without its closing brace",
                "'StringLike':{'aws:username':'${}'}|without a name",
            })
    void conditionsThatAreNotUnderstoodAreRefused(String condition, String reason) {
        assertThatThrownBy(() -> Policy.ofIdentity(allow(condition)))
                .isInstanceOf(MalformedPolicyException.class)
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{'AWS':'bob'}|arn:aws:s3:::b/*|s3:*|Invalid principal",
                "{'AWS':'arn:aws:iam:::user/*'}|arn:aws:s3:::b/*|s3:*|Invalid principal",
                "{'Service':'x.amazonaws.com'}|arn:aws:s3:::b/*|s3:*|Invalid principal",
                "{}|arn:aws:s3:::b/*|s3:*|it is empty",
                "'*'|arn:aws:s3:::other/*|s3:*|invalid resource",
                "'*'|arn:aws:s3:::bb|s3:*|invalid resource",
                "'*'|arn:aws:s3:::b/*|volute:Space|invalid action",
            })
    void policiesOfBucketsAreAboutThem(
            String principal, String resource, String action, String reason) {
        String document =
                json(
                        "{'Statement':{'Effect':'Allow','Principal':"
                                + principal
                                + ",'Action':'"
                                + action
                                + "','Resource':'"
                                + resource
                                + "'}}");
        assertThatThrownBy(() -> Policy.ofBucket(document, "b"))
                .isInstanceOf(MalformedPolicyException.class)
                .hasMessageContaining(reason);
    }

    /** Columns: Action or NotAction, Resource, reason; as S3 refuses them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            nullValues = "-",
            textBlock =
                    """
                    'Action':'s3:GetObjekt'|arn:aws:s3:::b/*|no action
                    'Action':['s3:GetObject','s3:Foo*']|arn:aws:s3:::b/*|no action
                    'NotAction':'s3:GetObjekt'|arn:aws:s3:::b/*|no action
                    'Action':'s3:ListAllMyBuckets'|arn:aws:s3:::b|no action
                    'Action':'s3:PutObject'|arn:aws:s3:::b|does not apply
                    'Action':'s3:ListBucket'|arn:aws:s3:::b/*|does not apply
                    'Action':['s3:GetObject','s3:ListBucket']|arn:aws:s3:::b/*|does not apply
                    'Action':'s3:GetObject'|*|invalid resource
                    'Action':'s3:getobject'|arn:aws:s3:::b/*|-
                    'Action':'s3:Get*'|arn:aws:s3:::b|-
                    'Action':'s3:*Bucket*'|arn:aws:s3:::b|-
                    'Action':'*'|arn:aws:s3:::b|-
                    'Action':'s3:RestoreObject'|arn:aws:s3:::b/*|-
                    'Action':'s3:GetObject'|arn:aws:s3:::b*|-
                    'Action':'s3:ListBucket'|arn:aws:s3:::b*|-
                    'Action':'s3:ListBucket'|arn:aws:s3:::${aws:username}|-
                    'NotAction':'s3:ListBucket'|arn:aws:s3:::b/*|-
                    """)
    void everyActionOfANewPolicyHasAnEffect(String action, String resource, String reason) {
        String document =
                json(
                        "{'Version':'2012-10-17','Statement':{'Effect':'Deny','Principal':'*',"
                                + action
                                + ",'Resource':'"
                                + resource
                                + "'}}");
        if (reason == null) {
            Policy.ofNewBucket(document, "b");
        } else {
            assertThatThrownBy(() -> Policy.ofNewBucket(document, "b"))
                    .isInstanceOf(MalformedPolicyException.class)
                    .hasMessageContaining(reason);
        }
        // A policy that is stored goes on to hold.
        assertThat(Policy.ofBucket(document, "b").isPublic()).isFalse();
    }

    @Test
    void everyActionOfThisServerIsOfABucketOrAnObject() {
        for (Action action : Action.values()) {
            boolean isOfService =
                    action == Action.LIST_ALL_MY_BUCKETS || action == Action.LISTEN_NOTIFICATION;
            if (action.policyName().startsWith("s3:") && !isOfService) {
                assertThat(Action.subjects(action.policyName())).as(action.policyName()).hasSize(1);
            }
        }
    }

    @Test
    void nobodyIsAllowedByNotBeingNamed() {
        String document =
                json(
                        "{'Statement':{'Effect':'Allow',"
                                + "'NotPrincipal':{'AWS':'arn:aws:iam:::user/x'},"
                                + "'Action':'s3:GetObject','Resource':'arn:aws:s3:::b/*'}}");
        assertThatThrownBy(() -> Policy.ofBucket(document, "b"))
                .isInstanceOf(MalformedPolicyException.class)
                .hasMessageContaining("Allow with NotPrincipal");
        assertThat(Policy.ofBucket(document.replace("Allow", "Deny"), "b").isPublic()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"arn:aws:s3:::b", "arn:aws:s3:::b/x", "arn:aws:s3:::*", "arn:aws:s3::*:b"})
    void resourcesOfTheBucketAreTaken(String resource) {
        String document =
                json(
                        "{'Statement':{'Effect':'Allow','Principal':'*','Action':'s3:*',"
                                + "'Resource':'"
                                + resource
                                + "'}}");
        assertThat(Policy.ofBucket(document, "b").isPublic()).isTrue();
    }

    @Test
    void aMissingKeyMeetsNegatedOperatorsOnly() {
        assertThat(holds("'StringEquals':{'aws:SourceVpc':'v'}", Map.of())).isFalse();
        assertThat(holds("'StringNotEquals':{'aws:SourceVpc':'v'}", Map.of())).isTrue();
        assertThat(holds("'StringEqualsIfExists':{'aws:SourceVpc':'v'}", Map.of())).isTrue();
        assertThat(holds("'Null':{'aws:SourceVpc':'true'}", Map.of())).isTrue();
        assertThat(holds("'ForAllValues:StringEquals':{'aws:SourceVpc':'v'}", Map.of())).isTrue();
        assertThat(holds("'ForAnyValue:StringNotEquals':{'aws:SourceVpc':'v'}", Map.of()))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8::/32,2001:db8:ff::1,true",
        "2001:db8::/32,2001:db9::1,false",
        "::1,0:0:0:0:0:0:0:1,true",
        "10.0.0.0/8,::ffff:10.2.3.4,true",
        "10.0.0.0/8,fe80::1%eth0,false",
        "10.0.0.0/8,10.256.0.1,false",
        "192.0.2.128/25,192.0.2.127,false",
        "0.0.0.0/0,255.255.255.255,true"
    })
    void addressesLieInRanges(String range, String address, boolean inside) {
        Map<String, List<String>> keys = Map.of("aws:sourceip", List.of(address));
        assertThat(holds("'IpAddress':{'aws:SourceIp':'" + range + "'}", keys)).isEqualTo(inside);
        assertThat(holds("'NotIpAddress':{'aws:SourceIp':'" + range + "'}", keys))
                .isEqualTo(!inside);
    }

    @Test
    void whatAVariableStandsForIsNoWildcard() {
        String own = "'StringLike':{'s3:prefix':'${aws:username}/*'}";
        assertThat(
                        holds(
                                own,
                                Map.of(
                                        "aws:username",
                                        List.of("*"),
                                        "s3:prefix",
                                        List.of("alice/x"))))
                .isFalse();
        assertThat(holds(own, Map.of("s3:prefix", List.of("/x")))).isFalse();
    }

    /** An allowance for all but something unknown would be one for everything. */
    @Test
    void aVariableWithoutValueNeverAllows() {
        assertThat(
                        holds(
                                "'StringNotLike':{'s3:prefix':'${aws:username}/*'}",
                                Map.of("s3:prefix", List.of("x"))))
                .isFalse();
    }

    @Test
    void theNamesOfTagsKeepTheirCase() {
        Map<String, List<String>> keys = Map.of("s3:existingobjecttag/Team", List.of("a"));
        assertThat(holds("'StringEquals':{'S3:ExistingObjectTag/Team':'a'}", keys)).isTrue();
        assertThat(holds("'StringEquals':{'s3:ExistingObjectTag/team':'a'}", keys)).isFalse();
    }

    /** CVE-2025-62506: a session that is not denied is not therefore allowed. */
    @Test
    void aSessionMayOnlyDoWhatItsPolicyAllows() {
        Policy nothing =
                Policy.ofIdentity(
                        json("{'Statement':{'Effect':'Allow','Action':'s3:Put*','Resource':'*'}}"));
        for (Standing standing : Standing.values()) {
            ApplicablePolicies grounds =
                    new ApplicablePolicies(
                            standing,
                            List.of(Policy.ofIdentity(allow(""))),
                            Optional.empty(),
                            Optional.of(nothing));
            assertThat(Authorizer.decide(read(), grounds)).isEqualTo(Decision.DENY);
        }
    }

    private static AccessRequest read() {
        return new AccessRequest(ALICE, "s3:GetObject", "arn:aws:s3:::b/k", ConditionKeys.NONE);
    }

    @Test
    void onlyTheRootStandsAboveADenyOfTheBucket() {
        Policy deny =
                Policy.ofBucket(
                        json(
                                "{'Statement':{'Effect':'Deny','Principal':'*','Action':'s3:*',"
                                        + "'Resource':['arn:aws:s3:::b','arn:aws:s3:::b/*']}}"),
                        "b");
        assertThat(decide(Standing.ROOT, deny, read())).isEqualTo(Decision.ALLOW);
        assertThat(decide(Standing.OWNER, deny, read())).isEqualTo(Decision.DENY);
        AccessRequest repair =
                new AccessRequest(
                        ALICE, "s3:PutBucketPolicy", "arn:aws:s3:::b", ConditionKeys.NONE);
        assertThat(decide(Standing.OWNER, deny, repair)).isEqualTo(Decision.ALLOW);
        assertThat(decide(Standing.NOTHING, deny, repair)).isEqualTo(Decision.DENY);
    }

    private static Decision decide(Standing standing, Policy bucket, AccessRequest request) {
        return Authorizer.decide(
                request,
                new ApplicablePolicies(standing, List.of(), Optional.of(bucket), Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'*'|''|true",
                "{'AWS':'*'}|''|true",
                "{'AWS':'arn:aws:iam:::user/bob'}|''|false",
                "'*'|'IpAddress':{'aws:SourceIp':'10.0.0.0/32'}|false",
                "'*'|'IpAddress':{'aws:SourceIp':'0.0.0.0/0'}|true",
                "'*'|'StringLike':{'aws:PrincipalArn':'*'}|true",
                "'*'|'StringEquals':{'aws:PrincipalArn':'arn:aws:iam::000000000000:user/b'}|false",
                "'*'|'StringNotEquals':{'aws:userid':'x'}|true",
                "'*'|'Bool':{'aws:SecureTransport':'true'}|true",
                "'*'|'StringEquals':{'aws:userid':'bob'}|false",
                "'*'|'StringEquals':{'aws:userid':'anonymous'}|true",
                "'*'|'StringEqualsIgnoreCase':{'aws:userid':['bob','Anonymous']}|true",
                "'*'|'ForAnyValue:StringEquals':{'aws:userid':['bob','anonymous']}|true",
                "'*'|'StringEquals':{'aws:PrincipalType':'Anonymous'}|true",
                "'*'|'IpAddress':{'aws:SourceIp':'10.0.0.0/8'}|false",
                "'*'|'IpAddress':{'aws:SourceIp':['10.0.0.0/8','10.1.0.0/16']}|false",
                "'*'|'IpAddress':{'aws:SourceIp':['10.0.0.0/9','10.128.0.0/9']}|false",
                "'*'|'IpAddress':{'aws:SourceIp':['10.0.0.0/8','11.0.0.1']}|true",
                "'*'|'IpAddress':{'aws:SourceIp':['255.0.0.0/8','254.0.0.1']}|true",
                "'*'|'IpAddress':{'aws:SourceIp':['0.0.0.0/8','255.255.255.255']}|true",
                "'*'|'IpAddress':{'aws:SourceIp':['10.0.0.0/8','2001:db8::/32']}|false",
                "'*'|'IpAddress':{'aws:SourceIp':['2001:db8::/32','2001:db9::1']}|true",
                "'*'|'IpAddress':{'aws:SourceIp':['ffff:ffff::/32','ffff:ffff:1::/48']}|false",
                "'*'|'IpAddressIfExists':{'aws:SourceIp':'10.0.0.1'}|true",
                "'*'|'IpAddress':{'aws:SourceIp':'10.0.0.1'},"
                        + "'ForAnyValue:IpAddress':{'aws:SourceIp':'0.0.0.0/0'}|false",
            })
    void whatIsPublicIsWhatS3CallsSo(String principal, String condition, boolean isPublic) {
        String text = condition.equals("''") ? "" : condition;
        String document =
                json(
                        "{'Statement':{'Effect':'Allow','Principal':"
                                + principal
                                + ",'Action':'s3:GetObject','Resource':'arn:aws:s3:::b/*',"
                                + "'Condition':{"
                                + text
                                + "}}}");
        assertThat(Policy.ofBucket(document, "b").isPublic()).isEqualTo(isPublic);
    }

    private static ApplicablePolicies denying(String condition) {
        return new ApplicablePolicies(
                Standing.ROOT,
                List.of(),
                Optional.empty(),
                Optional.of(
                        Policy.ofIdentity(
                                json(
                                        "{'Statement':[{'Effect':'Allow','Action':'s3:*',"
                                                + "'Resource':'*'},{'Effect':'Deny',"
                                                + "'Action':'s3:*',"
                                                + "'Resource':'*','Condition':{"
                                                + condition
                                                + "}}]}"))));
    }

    /** Cut off, a value could be made not to match what denies it. */
    @Test
    void aValueThatIsTooLongIsDenied() {
        ApplicablePolicies grounds = denying("'StringLike':{'aws:UserAgent':'*evil'}");
        for (int length : new int[] {4096, 4097}) {
            AccessRequest request =
                    new AccessRequest(
                            ALICE,
                            "s3:GetObject",
                            "arn:aws:s3:::b/k",
                            key -> List.of("a".repeat(length)));
            assertThat(Authorizer.decide(request, grounds))
                    .isEqualTo(length > 4096 ? Decision.DENY : Decision.ALLOW);
        }
    }

    @Test
    void decisionsThatTakeTooManyStepsAreDenied() {
        ApplicablePolicies grounds =
                denying("'StringLike':{'s3:prefix':'*?" + "a".repeat(1900) + "b*'}");
        MatchingBudget budget = new MatchingBudget();
        int allowed = 0;
        for (int i = 0; i < 1000; i++) {
            AccessRequest request =
                    new AccessRequest(
                            ALICE,
                            "s3:DeleteObject",
                            "arn:aws:s3:::b/" + i,
                            key -> List.of("a".repeat(4096)),
                            budget);
            allowed += Authorizer.decide(request, grounds) == Decision.ALLOW ? 1 : 0;
        }
        assertThat(allowed).isBetween(1, 20);
    }

    @Test
    void conditionsThatDoNotDependOnTheKeyAreJudgedOnce() {
        ApplicablePolicies grounds =
                denying(
                        "'StringLike':{'aws:UserAgent':'*evil'},"
                                + "'StringEquals':{'s3:ExistingObjectTag/a':'b'}");
        List<String> asked = new ArrayList<>();
        MatchingBudget budget = new MatchingBudget();
        ConditionKeys keys =
                key -> {
                    asked.add(key);
                    return List.of("evil");
                };
        ApplicablePolicies narrowed =
                grounds.within(
                        new RequestSet(
                                ALICE,
                                List.of("s3:DeleteObject"),
                                "arn:aws:s3:::b/",
                                true,
                                keys,
                                key -> key.startsWith("s3:existing"),
                                budget));
        for (int i = 0; i < 1000; i++) {
            Decision decision =
                    Authorizer.decide(
                            new AccessRequest(
                                    ALICE, "s3:DeleteObject", "arn:aws:s3:::b/" + i, keys, budget),
                            narrowed);
            assertThat(decision).isEqualTo(Decision.ALLOW);
        }
        assertThat(asked.stream().filter("aws:useragent"::equals)).hasSize(1);
    }

    /** Covers all addresses of version 4, in one condition and in one for each statement. */
    @Test
    void rangesOfAddressesCountTogether() {
        List<String> ranges = new ArrayList<>();
        List<String> statements = new ArrayList<>();
        for (int i = 0; i < 256; i++) {
            ranges.add("'" + i + ".0.0.0/8'");
            statements.add(toEveryoneAt("'" + i + ".0.0.0/16'"));
        }
        assertThat(isPublic(List.of(toEveryoneAt("[" + String.join(",", ranges) + "]")))).isTrue();
        assertThat(isPublic(statements.subList(0, 100))).isFalse();
        assertThat(isPublic(statements)).isFalse();
        statements.add(toEveryoneAt("'10.1.0.0/16'"));
        assertThat(isPublic(statements)).isTrue();
    }

    private static String toEveryoneAt(String ranges) {
        return "{'Effect':'Allow','Principal':'*','Action':'s3:GetObject',"
                + "'Resource':'arn:aws:s3:::b/*','Condition':{'IpAddress':{'aws:SourceIp':"
                + ranges
                + "}}}";
    }

    private static boolean isPublic(List<String> statements) {
        return Policy.ofBucket(json("{'Statement':[" + String.join(",", statements) + "]}"), "b")
                .isPublic();
    }
}
