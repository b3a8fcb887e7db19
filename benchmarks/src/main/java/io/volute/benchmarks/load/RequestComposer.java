package io.volute.benchmarks.load;

import io.volute.benchmarks.http.AsciiBuffer;
import io.volute.benchmarks.http.RequestSigner;
import io.volute.benchmarks.http.SignedHead;
import io.volute.benchmarks.load.Workload.Operation;
import io.volute.benchmarks.load.Workload.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Makes the bytes of requests. The body of a PUT is one buffer shared by all connections whose hash
 * is computed once. Used by one thread.
 */
final class RequestComposer {
    /** A body and its hash, shared by the connections. */
    record SharedBody(ByteBuffer content, byte[] hash) {
        static SharedBody of(byte[] content, Payload payload) {
            byte[] hash =
                    payload == Payload.SIGNED
                            ? RequestSigner.payloadHash(content)
                            : "UNSIGNED-PAYLOAD".getBytes(StandardCharsets.US_ASCII);
            ByteBuffer direct = ByteBuffer.allocateDirect(content.length).put(content).flip();
            return new SharedBody(direct.asReadOnlyBuffer(), hash);
        }

        /** Random bytes, the same for each server. */
        static SharedBody of(Workload workload) {
            byte[] content = new byte[Math.toIntExact(workload.objectBytes)];
            new SplittableRandom(1).nextBytes(content);
            return of(content, workload.payload);
        }
    }

    private static final SharedBody NO_BODY = SharedBody.of(new byte[0], Payload.SIGNED);

    private final Workload workload;
    private final String bucket;
    private final KeySpace keys;
    private final LoadPlan plan;
    private final SharedBody objectBody;
    private final ByteBuffer objectContent;

    /** Payload hashes by body length. Each body is a prefix of the shared body. */
    private final Map<Integer, byte[]> hashes = new HashMap<>();

    private final SignedHead head;
    private final AsciiBuffer document = new AsciiBuffer();
    private ByteBuffer body = NO_BODY.content().duplicate();

    /**
     * @param number of the connection that it is for
     */
    RequestComposer(
            Workload workload,
            KeySpace keys,
            LoadPlan plan,
            Target target,
            SharedBody objectBody,
            int number) {
        this.workload = workload;
        this.bucket = workload.buckets.get(number % workload.buckets.size());
        this.keys = keys;
        this.plan = plan;
        RequestSigner signer =
                new RequestSigner(target.account(workload.region), target.hostHeader(number));
        if (workload.actors > 0) {
            signer.actor("load-" + number % workload.actors);
        }
        this.head = new SignedHead(signer);
        this.objectBody = objectBody;
        this.objectContent = objectBody.content().duplicate();
    }

    /** Makes the request of an operation; {@link #head} and {@link #body} hold it. */
    void compose(Operation operation, long item) {
        head.path().clear().put("/").put(bucket);
        head.query().clear();
        switch (operation) {
            case PUT -> putRequest(item);
            case GET -> objectRequest("GET", item, NO_BODY.hash(), emptied());
            case HEAD -> objectRequest("HEAD", item, NO_BODY.hash(), emptied());
            case DELETE -> objectRequest("DELETE", item, NO_BODY.hash(), emptied());
            case LIST -> listRequest(item);
            case MULTI_DELETE -> deletionRequest(item);
            case MIXED, POPULATION ->
                    throw new IllegalArgumentException(operation + " is made of others");
        }
    }

    /** Makes the request that creates the bucket. */
    void composeBucket() {
        head.path().clear().put("/").put(bucket);
        head.query().clear();
        finish("PUT", NO_BODY.hash(), emptied(), "");
    }

    /** Makes the request that enables versioning. */
    void composeVersioning() {
        head.path().clear().put("/").put(bucket);
        head.query().clear().put("versioning=");
        document.clear().put("<VersioningConfiguration><Status>Enabled</Status>");
        document.put("</VersioningConfiguration>");
        finishDocument("PUT");
    }

    AsciiBuffer head() {
        return head.text();
    }

    ByteBuffer body() {
        return body;
    }

    private ByteBuffer emptied() {
        return NO_BODY.content().duplicate();
    }

    private void putRequest(long item) {
        int bytes = plan.bytes(item);
        objectContent.clear().limit(bytes);
        boolean isWhole = bytes == objectContent.capacity();
        byte[] hash =
                isWhole || workload.payload == Payload.UNSIGNED
                        ? objectBody.hash()
                        : hashes.computeIfAbsent(bytes, this::hashOfBegin);
        objectRequest("PUT", item, hash, objectContent);
    }

    private byte[] hashOfBegin(int bytes) {
        byte[] begin = new byte[bytes];
        objectContent.get(0, begin);
        return RequestSigner.payloadHash(begin);
    }

    private void objectRequest(String method, long item, byte[] hash, ByteBuffer content) {
        head.path().put("/");
        if (workload.operation == Operation.POPULATION) {
            workload.population().appendKey(head.path(), keys.run(), item);
        } else {
            keys.appendKey(head.path(), item);
        }
        finish(method, hash, content, "");
    }

    private void listRequest(long item) {
        long page = item / workload.prefixes;
        keys.appendPageQuery(head.query(), (int) (item % workload.prefixes), page, workload.batch);
        finish("GET", NO_BODY.hash(), emptied(), "");
    }

    private void deletionRequest(long item) {
        head.query().put("delete=");
        document.clear().put("<Delete><Quiet>true</Quiet>");
        long first = item * workload.batch;
        for (int i = 0; i < plan.keysInBatch(item); i++) {
            document.put("<Object><Key>");
            keys.appendKey(document, first + i);
            document.put("</Key></Object>");
        }
        document.put("</Delete>");
        finishDocument("POST");
    }

    private void finishDocument(String method) {
        byte[] bytes = document.toBytes();
        finish(
                method,
                RequestSigner.payloadHash(bytes),
                ByteBuffer.wrap(bytes),
                "Content-MD5: " + md5(bytes) + "\r\n");
    }

    private void finish(String method, byte[] hash, ByteBuffer content, String more) {
        head.compose(method, hash, content.remaining(), more);
        body = content;
    }

    private static String md5(byte[] bytes) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has MD5", e);
        }
    }
}
