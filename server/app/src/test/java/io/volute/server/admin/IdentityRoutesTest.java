package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.json.Json;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests users, keys, groups, roles and policies: changes, listings, durability and permissions. */
@Tag("slow")
class IdentityRoutesTest extends AdminTestCase {
    private static final Caller CALLER = new Caller("root", "ROOTKEY", "test");
    private static final String V1 = "/_volute/v1/";
    private static final String TRUST =
            "{'Statement':{'Effect':'Allow','Principal':'*','Action':'sts:AssumeRole'}}"
                    .replace("'", "\\\"");
    private static final String ADMINISTER =
            "{\"Statement\":{\"Effect\":\"Allow\",\"Action\":[\"volute:ListUsers\","
                    + "\"volute:CreateUser\"],\"Resource\":\"*\"}}";

    private Map<String, Object> post(String path, Map<String, ?> asked) throws IOException {
        Answer answer = bed.post(V1 + path, asked);
        assertThat(answer.status()).as(answer.document().toString()).isEqualTo(200);
        return answer.document();
    }

    private String code(String path, Map<String, ?> asked) throws IOException {
        return bed.post(V1 + path, asked).code();
    }

    private RequestSigner keyOf(String user) throws IOException {
        return signer(post("keys", Map.of("user", user)));
    }

    private static RequestSigner signer(Map<String, Object> key) {
        return new RequestSigner(
                (String) key.get("accessKey"), (String) key.get("secretKey"), "us-east-1");
    }

    private Answer users(RequestSigner who) throws IOException {
        return bed.send(who, "GET", V1 + "users", "");
    }

    @SuppressWarnings("unchecked")
    private Map<String, Object> only(String list) throws IOException {
        List<Object> all = (List<Object>) bed.get(V1 + list, Map.of()).document().get(list);
        assertThat(all).hasSize(1);
        return (Map<String, Object>) all.getFirst();
    }

    @Test
    void aUserMayDoWhatHisPoliciesAllow() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        assertThat(
                        bed.put(V1 + "policies", Map.of("name", "admins", "document", ADMINISTER))
                                .status())
                .isEqualTo(200);
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        post("policies/attach", Map.of("policy", "admins", "user", "carol", "attached", true));
        assertThat(users(carol).status()).isEqualTo(200);
        assertThat(bed.send(carol, "GET", V1 + "groups", "").code()).isEqualTo("AccessDenied");
        assertThat(code("policies/remove", Map.of("name", "admins"))).isEqualTo("DeleteConflict");
        post("policies/attach", Map.of("policy", "admins", "user", "carol", "attached", false));
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        post("policies/remove", Map.of("name", "admins"));
    }

    @Test
    void membersHaveThePoliciesOfTheirGroups() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        post("groups", Map.of("name", "ops"));
        assertThat(
                        bed.put(
                                        V1 + "policies/inline",
                                        Map.of(
                                                "group", "ops",
                                                "policy", "admin",
                                                "document", ADMINISTER))
                                .status())
                .isEqualTo(200);
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        post("groups/members", Map.of("group", "ops", "user", "carol", "member", true));
        assertThat(users(carol).status()).isEqualTo(200);
        assertThat(only("users").toString()).contains("groups=[ops]");
        post("groups/members", Map.of("group", "ops", "user", "carol", "member", false));
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
    }

    @Test
    void aLongListComesInPagesByNumberAndByBytes() throws IOException {
        String document =
                ADMINISTER.replace("\"*\"}}", "\"arn:aws:s3:::b/" + "x".repeat(5_900) + "\"}}");
        Set<String> made = new TreeSet<>();
        for (int i = 0; i < 200; i++) {
            Map<String, ?> policy = Map.of("name", "policy-" + i, "document", document);
            assertThat(bed.put(V1 + "policies", policy).status()).isEqualTo(200);
            made.add("policy-" + i);
        }
        for (String name : List.of("ann", "ben", "cid", "dan", "eve")) {
            post("users", Map.of("name", name));
        }
        assertThat(pages("users", Map.of("max", "2")))
                .containsExactly(List.of("ann", "ben"), List.of("cid", "dan"), List.of("eve"));
        List<List<String>> policies = pages("policies", Map.of());
        assertThat(policies).hasSizeBetween(2, 3);
        assertThat(policies.stream().flatMap(List::stream))
                .doesNotHaveDuplicates()
                .containsAll(made)
                .contains("readwrite");
        assertThat(pages("groups", Map.of())).containsExactly(List.of());
    }

    /** Returns the names in each page of a list. */
    @SuppressWarnings("unchecked")
    private List<List<String>> pages(String list, Map<String, String> asked) throws IOException {
        List<List<String>> pages = new ArrayList<>();
        Map<String, String> query = new HashMap<>(asked);
        Object next;
        do {
            Map<String, Object> page = bed.get(V1 + list, query).document();
            List<Map<String, Object>> members = (List<Map<String, Object>>) page.get(list);
            pages.add(members.stream().map(each -> each.get("name").toString()).toList());
            next = page.get("next");
            query.put("from", String.valueOf(next));
        } while (next != null);
        return pages;
    }

    @Test
    void keysAreShownOnceAndCanBeTakenAway() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        String key = only("users").get("keys").toString();
        assertThat(key).contains("active=true").doesNotContain("secret");
        String accessKey = key.replaceAll(".*accessKey=(\\w+).*", "$1");
        post("keys/state", Map.of("accessKey", accessKey, "active", false));
        assertThat(users(carol).code()).isEqualTo("InvalidAccessKeyId");
        post("keys/state", Map.of("accessKey", accessKey, "active", true));
        assertThat(users(carol).code()).isEqualTo("AccessDenied");
        post("keys/remove", Map.of("accessKey", accessKey));
        assertThat(users(carol).code()).isEqualTo("InvalidAccessKeyId");
    }

    @Test
    void whoIsRemovedLeavesNothingBehind() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner before = keyOf("carol");
        post("groups", Map.of("name", "ops"));
        post("groups/members", Map.of("group", "ops", "user", "carol", "member", true));
        post("users/remove", Map.of("name", "carol"));
        assertThat(users(before).code()).isEqualTo("InvalidAccessKeyId");
        post("users", Map.of("name", "carol"));
        assertThat(users(before).code()).isEqualTo("InvalidAccessKeyId");
        assertThat(only("groups").get("members")).isEqualTo(List.of());
    }

    @Test
    void allOfItOutlivesARestart() throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        bed.put(V1 + "policies", Map.of("name", "admins", "document", ADMINISTER));
        post("policies/attach", Map.of("policy", "admins", "user", "carol", "attached", true));
        bed.close();
        bed = new AdminTestBed(directory);
        assertThat(users(carol).status()).isEqualTo(200);
        assertThat(bed.get(V1 + "policies", Map.of()).document().get("policies").toString())
                .contains("document=" + ADMINISTER + ", builtIn=false");
    }

    /** A reader of the disk has the rows, but not the master key. */
    @Test
    void secretsAreNotKeptInClear() throws IOException {
        post("users", Map.of("name", "carol"));
        Map<String, Object> key = post("keys", Map.of("user", "carol"));
        String secret = (String) key.get("secretKey");
        assertThat(bed.people.identities().keysOf("carol").getFirst().sealed())
                .doesNotContain(secret);
        assertThat(bed.get(V1 + "identity-changes", Map.of()).document().toString())
                .contains((String) key.get("accessKey"))
                .doesNotContain(secret);
    }

    @Test
    void aUserIsProvisionedWithPolicyAndKeyAtOnce() throws IOException {
        Map<String, Object> key =
                post("users/provision", Map.of("name", "carol", "policy", "diagnostics"));
        assertThat(bed.send(signer(key), "GET", V1 + "space", "").status()).isEqualTo(200);
        assertThat(users(signer(key)).code()).isEqualTo("AccessDenied");
        assertThat(only("users").get("policies")).isEqualTo(List.of("diagnostics"));
        assertThat(bed.get(V1 + "identity-changes", Map.of()).document().get("changes").toString())
                .contains("deed=ProvisionUser")
                .contains("detail=diagnostics, " + key.get("accessKey"))
                .doesNotContain((String) key.get("secretKey"));
    }

    @Test
    void aPolicyIsLimitedToABucketThatExists() throws IOException {
        Map<String, String> asked =
                Map.of("name", "carol", "policy", "readwrite", "bucket", "bucket");
        assertThat(code("users/provision", asked)).isEqualTo("NoSuchBucket");
        bed.store.createBucket(CALLER, new BucketName("bucket"));
        post("users/provision", asked);
        assertThat(only("users").get("inline").toString())
                .contains("readwrite-bucket=")
                .contains("\"arn:aws:s3:::bucket\", \"arn:aws:s3:::bucket/*\"")
                .doesNotContain("\"*\"");
    }

    /** A refusal leaves nothing half-made. */
    @ParameterizedTest
    @CsvSource({
        "carol, none, , NoSuchEntity",
        "carol, diagnostics, bucket, InvalidRequest",
        "root, readonly, , EntityAlreadyExists",
        "car ol, readonly, , InvalidRequest",
    })
    void aRefusedUserIsNotThere(String name, String policy, String bucket, String code)
            throws IOException {
        bed.store.createBucket(CALLER, new BucketName("bucket"));
        Map<String, String> asked = new HashMap<>(Map.of("name", name, "policy", policy));
        if (bucket != null) {
            asked.put("bucket", bucket);
        }
        assertThat(code("users/provision", asked)).isEqualTo(code);
        assertThat(bed.get(V1 + "users", Map.of()).document().get("users")).isEqualTo(List.of());
        assertThat(bed.get(V1 + "identity-changes", Map.of()).document().get("changes"))
                .isEqualTo(List.of());
    }

    /** It does what four other actions do, so it needs the permission for each of them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "volute:ProvisionUser",
                "volute:CreateUser",
                "volute:CreateKey",
                "volute:AttachPolicy",
                "volute:PutInlinePolicy",
                "iam:CreateAccessKey"
            })
    void aProvisionNeedsThePermissionOfEachPart(String denied) throws IOException {
        post("users", Map.of("name", "carol"));
        RequestSigner carol = keyOf("carol");
        String all = "{\"Effect\":\"Allow\",\"Action\":\"*\",\"Resource\":\"*\"}";
        String asked = "{\"name\":\"dave\",\"policy\":\"AdministratorAccess\"}";
        asked = asked.replace("Admin", "arn:aws:iam::aws:policy/Admin");
        inline(all + ",{\"Effect\":\"Deny\",\"Action\":\"" + denied + "\",\"Resource\":\"*\"}");
        Answer refused = bed.send(carol, "POST", V1 + "users/provision", asked);
        assertThat(refused.code()).isEqualTo("AccessDenied");
        inline(all);
        assertThat(bed.send(carol, "POST", V1 + "users/provision", asked).status()).isEqualTo(200);
    }

    private void inline(String statements) throws IOException {
        Map<String, ?> policy =
                Map.of(
                        "user",
                        "carol",
                        "policy",
                        "p",
                        "document",
                        "{\"Statement\":[" + statements + "]}");
        assertThat(bed.put(V1 + "policies/inline", policy).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"readonly", "readwrite", "writeonly", "diagnostics"})
    void builtInPoliciesStayAsTheyAre(String name) throws IOException {
        assertThat(bed.get(V1 + "policies", Map.of()).document().get("policies").toString())
                .contains("name=" + name + ",");
        assertThat(bed.put(V1 + "policies", Map.of("name", name, "document", ADMINISTER)).code())
                .isEqualTo("InvalidRequest");
        assertThat(code("policies/remove", Map.of("name", name))).isEqualTo("InvalidRequest");
    }

    @Test
    void everyChangeIsTold() throws IOException {
        post("users", Map.of("name", "carol"));
        post("users/remove", Map.of("name", "carol"));
        Answer first = bed.get(V1 + "identity-changes", Map.of("max", "1"));
        assertThat(first.document().toString())
                .contains("deed=CreateUser")
                .contains("subject=user/carol")
                .contains("principal=root")
                .contains("time=2026-11-21T10:00:00Z");
        Answer second =
                bed.get(
                        V1 + "identity-changes",
                        Map.of("from", (String) first.document().get("next")));
        assertThat(second.document().toString())
                .contains("deed=Delete")
                .doesNotContain("CreateUser");
        assertThat(second.document()).doesNotContainKey("next");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "users|{'name':'alice'}|EntityAlreadyExists",
                "users|{'name':'root'}|EntityAlreadyExists",
                "users|{'name':'carol'}|EntityAlreadyExists",
                "users|{'name':'Root'}|EntityAlreadyExists",
                "users|{'name':'anonymous'}|EntityAlreadyExists",
                "groups|{'name':'root'}|EntityAlreadyExists",
                "groups|{'name':'Anonymous'}|EntityAlreadyExists",
                "roles|{'name':'root','trust':'TRUST'}|EntityAlreadyExists",
                "roles|{'name':'ROOT','trust':'TRUST'}|EntityAlreadyExists",
                "roles|{'name':'anonymous','trust':'TRUST'}|EntityAlreadyExists",
                "roles|{'name':'alice','trust':'TRUST'}|EntityAlreadyExists",
                "users|{'name':'a/b'}|InvalidRequest",
                "users/remove|{'name':'nobody'}|NoSuchEntity",
                "keys|{'user':'nobody'}|NoSuchEntity",
                "keys|{'user':'alice'}|NoSuchEntity",
                "keys/remove|{'accessKey':'none'}|NoSuchEntity",
                "groups/members|{'group':'none','user':'carol','member':true}|NoSuchEntity",
                "policies/attach|{'policy':'none','user':'carol','attached':true}|NoSuchEntity",
                "policies/attach|{'policy':'none','attached':true}|InvalidRequest",
                "roles|{'name':'r','trust':'{}'}|MalformedPolicyDocument",
            })
    void whatCannotBeIsRefused(String path, String asked, String code) throws IOException {
        post("users", Map.of("name", "carol"));
        Map<String, Object> document =
                Json.read(
                        asked.replace('\'', '"')
                                .replace("TRUST", TRUST)
                                .getBytes(StandardCharsets.UTF_8));
        assertThat(code(path, document)).isEqualTo(code);
    }

    @Test
    void aPolicyThatIsNoneIsRefused() throws IOException {
        Answer answer =
                bed.put(
                        V1 + "policies",
                        Map.of(
                                "name",
                                "p",
                                "document",
                                Map.of("Statement", Map.of("Effect", "Allow"))));
        assertThat(answer.code()).isEqualTo("MalformedPolicyDocument");
        assertThat(answer.message()).contains("Missing required field Action");
    }

    @Test
    void usersOfTheConfigurationHaveNoPartInThis() throws IOException {
        assertThat(users(AdminTestBed.ALICE).code()).isEqualTo("AccessDenied");
    }
}
