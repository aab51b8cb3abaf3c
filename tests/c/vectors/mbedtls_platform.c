/*
 * SPDX-FileCopyrightText: 2026 The Wyrmling authors
 * SPDX-License-Identifier: MIT
 *
 * The parts that a program with Mbed TLS provides: a random generator, and the initialisation of
 * PSA.
 */
#include <psa/crypto.h>
#include <sys/random.h>

psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *context,
                                             uint8_t *output, size_t output_size,
                                             size_t *output_length)
{
    ssize_t got = getrandom(output, output_size, 0);

    (void)context;
    if (got != (ssize_t)output_size)
        return PSA_ERROR_INSUFFICIENT_ENTROPY;
    *output_length = output_size;
    return PSA_SUCCESS;
}

__attribute__((constructor)) static void start(void)
{
    (void)psa_crypto_init(); /* without it every operation fails, and so does every vector */
}
