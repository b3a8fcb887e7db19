package io.volute.server.s3;

import io.volute.versioning.BucketSettings;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * A store that refuses calls which name a bucket alone where they could pass the bucket that was
 * decided about. The tests of the protocol run over it.
 */
public final class IdentifiedBuckets {
    private IdentifiedBuckets() {}

    /** Returns a store that passes calls to another one. */
    public static VersionedStore over(VersionedStore store) {
        return proxy(VersionedStore.class, store);
    }

    private static <T> T proxy(Class<T> type, T target) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> call(target, method, arguments)));
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (types[i] == BucketRef.class && arguments[i] instanceof BucketName name) {
                throw new AssertionError(
                        method + " gets the name " + name + ": pass the bucket that was judged");
            }
        }
        try {
            Object result = method.invoke(target, arguments);
            if (method.getReturnType() == ObjectReader.class) {
                boolean isStore = result instanceof VersionedStore;
                return isStore ? over((VersionedStore) result) : reader((ObjectReader) result);
            }
            return method.getReturnType() == BucketSettings.class
                    ? proxy(BucketSettings.class, (BucketSettings) result)
                    : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static ObjectReader reader(ObjectReader past) {
        return proxy(ObjectReader.class, past);
    }
}
